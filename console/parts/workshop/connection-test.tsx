import type { CheckedConnector } from "../../../src/runtime/check/check-deployment.ts";
import type { GivenChange, ShownProblem } from "../../../src/server/workshop/config-editor.ts";
import { post } from "../../api.ts";
import { say, sayText } from "../../say.ts";
import { useAfterPause } from "../forms/after-pause.ts";
import { Code } from "../small-parts.tsx";
import { Problems } from "./problems.tsx";

/** A longer pause than for a diff, because each test sends requests to the system. */
const quietMs = 900;

type Tried = CheckedConnector | { readonly problems: readonly ShownProblem[] };

/** Tests the connection while its settings are typed, and shows what would be received and sent. */
export function ConnectionTest(props: {
  readonly name: string;
  readonly changes: readonly GivenChange[];
  readonly isComplete: boolean;
  /** Whether it answers something or gets the events. */
  readonly isUsed: boolean;
}) {
  const { name, changes, isComplete, isUsed } = props;
  const tried = useAfterPause<Tried>(
    `${name} ${isComplete} ${JSON.stringify(changes)}`,
    isComplete ? (signal) => post<Tried>("admin/config/try", { changes, connector: name, records: 3 }, signal) : null,
    quietMs,
  );
  const { answer, error } = tried;
  // Also in the pause before it begins: without a word, an empty section looks as if nothing would come.
  const isBusy = tried.isBusy || (isComplete && !tried.isCurrent);
  return (
    <section class="tested" aria-labelledby="test-title" aria-busy={isBusy}>
      <h2 id="test-title">{say("connect.test")}</h2>
      {!isComplete ? <p class="quiet">{say("connect.fill")}</p> : null}
      {isBusy ? <p role="status">{say("connect.testing")}</p> : null}
      {error === "" ? null : (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {answer === null || !isComplete ? null : "problems" in answer ? (
        <Problems problems={answer.problems} />
      ) : (
        <Found checked={answer} isUsed={isUsed} />
      )}
    </section>
  );
}

function Found({ checked, isUsed }: { readonly checked: CheckedConnector; readonly isUsed: boolean }) {
  const { errors, warnings, notes, records, queries, bringsIn } = checked;
  // Until the system answers, the examples have ids that are none of its own. That these do not fit says nothing.
  const events = errors.length === 0 ? checked.events : checked.events.filter(({ error }) => error === undefined);
  return (
    <>
      {errors.length === 0 ? (
        <p class="good-text" role="status">
          {say("connect.reached")}
        </p>
      ) : (
        <>
          <p class="error">{say("connect.notReached")}</p>
          <Problems problems={errors.map((text) => ({ text }))} />
        </>
      )}
      {[...warnings, ...notes].map((text) => (
        <p key={text} class="warn-text">
          {sayText(text)}
        </p>
      ))}
      {isUsed || bringsIn || errors.length > 0 ? null : <p class="warn-text">{say("connect.unused")}</p>}
      {errors.length > 0 || (queries.length === 0 && !bringsIn) ? null : (
        <>
          <h3>{say("connect.records")}</h3>
          {records.length === 0 ? <p class="quiet">{say("connect.noRecords")}</p> : null}
          {records.map((record, index) => (
            <Pair key={index} record={record} number={index + 1} />
          ))}
        </>
      )}
      {events.length === 0 ? null : (
        <details>
          <summary>{say("connect.events")}</summary>
          {events.map(({ event, requests, error }) => (
            <div key={event} class="panel">
              <h4>{event}</h4>
              {error === undefined ? null : <p class="error">{sayText(error)}</p>}
              {requests.map((request) => (
                <Code key={request.to} label={`${event} ${request.to}`} text={JSON.stringify(request)} />
              ))}
            </div>
          ))}
        </details>
      )}
    </>
  );
}

function Pair({ record, number }: { readonly record: CheckedConnector["records"][number]; readonly number: number }) {
  return (
    <div class="columns">
      <div>
        <h4>
          {say("connect.raw")} <span class="badge none">{record.serves}</span>
        </h4>
        <Code label={`${say("connect.raw")} ${number}`} text={JSON.stringify(record.raw)} />
      </div>
      <div>
        <h4>
          {say("connect.mapped")}{" "}
          {record.problems.length === 0 ? <span class="badge good">{say("connect.valid")}</span> : null}
        </h4>
        {record.problems.length === 0 ? null : (
          <ul class="plain-list">
            {record.problems.map(({ field, source, text }) => (
              <li key={field + text}>
                <code>{source === undefined ? field : `${source} → ${field}`}</code> <span class="error">{text}</span>
              </li>
            ))}
          </ul>
        )}
        {record.record === undefined ? null : (
          <Code label={`${say("connect.mapped")} ${number}`} text={JSON.stringify(record.record)} />
        )}
      </div>
    </div>
  );
}
