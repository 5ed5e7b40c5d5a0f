import { useState } from "preact/hooks";
import type { EntryDetail, EntryMention } from "../../src/engine/journal-view/entries/entry-detail.ts";
import { pathTo } from "../address.ts";
import { say, sayCode, sayDuration, sayEvent, sayTopic } from "../say.ts";
import { may, session } from "../session.ts";
import { ActDialog, type SimpleAction } from "./act-dialog.tsx";
import { EditDialog, editSubject } from "./edit-dialog.tsx";
import { Exchange } from "./exchange.tsx";
import { DraftOffer } from "./forms/draft.tsx";
import { Link } from "./link.tsx";
import { Loaded, useResource } from "./resource.tsx";
import { Code, CopyButton, ErrorText, Moment, StateBadge } from "./small-parts.tsx";

/** An entry of the journal with everything stored about it, and the actions on it. */
export function EntryPanel({ seq, isPage = false }: { readonly seq: number | string; readonly isPage?: boolean }) {
  const personal = may("operator") ? "?show=personal" : "";
  const resource = useResource<EntryDetail>(`${pathTo("admin", "journal", seq)}${personal}`);
  return (
    <div class="panel">
      <Loaded of={resource}>{(entry) => <Detail entry={entry} isPage={isPage} />}</Loaded>
    </div>
  );
}

function Detail({ entry, isPage }: { readonly entry: EntryDetail; readonly isPage: boolean }) {
  const [dialog, setDialog] = useState<SimpleAction | "edit" | null>(null);
  const close = () => setDialog(null);
  // Heading levels must follow each other without a gap, wherever the panel stands.
  const Heading = isPage ? "h2" : "h3";
  return (
    <>
      <header class="bar">
        <Heading>
          {isPage ? null : `#${entry.seq} `}
          <span title={entry.topic}>{firstLarge(sayTopic(entry.topic))}</span> <StateBadge state={entry.state} />
        </Heading>
        {may("operator") ? (
          <span class="actions">
            {entry.possibleActions.map((action) => (
              <button key={action} type="button" onClick={() => setDialog(action)}>
                {say(`act.${action}`)}
              </button>
            ))}
          </span>
        ) : null}
      </header>
      {may("operator") && dialog !== "edit" ? (
        <DraftOffer
          subject={editSubject(entry)}
          onOpen={entry.possibleActions.includes("edit") ? () => setDialog("edit") : null}
        />
      ) : null}
      <p>{sayEvent(entry)}</p>
      <dl class="facts">
        <Fact name={say("entry.received")} at={entry.receivedAt} />
        <Fact name={say("entry.deliveredAt")} at={entry.deliveredAt} />
        <Fact name={say("entry.nextAttempt")} at={entry.nextAttemptAt} />
        <TextFact name={say("entry.target")} text={entry.target} />
        <TextFact name={say("entry.sender")} text={entry.sender} />
        <TextFact name={say("entry.operator")} text={entry.operator} />
        <TextFact name={say("entry.reason")} text={entry.reason === null ? null : sayCode("reason", entry.reason)} />
        <TraceFact id={entry.traceId} />
        <div>
          <dt>{say("entry.orders")}</dt>
          <dd>
            {entry.orders.map((order) => (
              <Link key={order} to={pathTo("orders", order)}>
                {order}
              </Link>
            ))}
          </dd>
        </div>
      </dl>
      <Mentions title={say("entry.heldBehind")} entries={entry.heldBehind} />
      <Mentions title={say("entry.waitingBehind")} entries={entry.waitingBehind} />
      <details open={entry.attemptLog.length > 0}>
        <summary>
          {say("entry.attempts")} ({entry.attemptLog.length})
        </summary>
        {entry.attemptLog.map((attempt) => (
          <article key={attempt.n} class="attempt">
            <p class="head">
              {attempt.n}. {sayCode("state", attempt.outcome)}
              {attempt.status === null ? "" : ` · ${attempt.status}`}{" "}
              <span class="quiet">
                <Moment at={attempt.startedAt} /> · {sayDuration(attempt.ms)}
              </span>
            </p>
            {attempt.error === null ? null : (
              <p class="error">
                <ErrorText text={attempt.error} />
              </p>
            )}
            {attempt.exchanges.map((exchange, index) => (
              <Exchange
                key={index}
                exchange={exchange}
                name={`${attempt.n}.${index + 1}`}
                isOnly={attempt.exchanges.length === 1}
              />
            ))}
            {attempt.exchanges.length > 0 || attempt.response === null ? null : (
              <Code text={attempt.response} label={`${say("exchange.answer")} ${attempt.n}`} />
            )}
          </article>
        ))}
      </details>
      <details>
        <summary>{say("entry.body")}</summary>
        <Code text={entry.body} label={say("entry.body")} />
        <CopyButton text={entry.body} label={say("action.copy")} />
      </details>
      <details open={entry.audit.length > 0}>
        <summary>
          {say("entry.audit")} ({entry.audit.length})
        </summary>
        <ul class="plain-list">
          {entry.audit.map((record) => (
            <li key={record.at + record.action}>
              <Moment at={record.at} /> <b>{record.operator}</b> {sayCode("action", record.action)}
              {record.reason === null ? "" : `: ${record.reason}`}
            </li>
          ))}
        </ul>
      </details>
      {dialog === "edit" ? <EditDialog entry={entry} onClose={close} /> : null}
      {dialog !== null && dialog !== "edit" ? <ActDialog action={dialog} seq={entry.seq} onClose={close} /> : null}
    </>
  );
}

const firstLarge = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1);

const Fact = ({ name, at }: { readonly name: string; readonly at: string | null }) =>
  at === null ? null : (
    <div>
      <dt>{name}</dt>
      <dd>
        <Moment at={at} />
      </dd>
    </div>
  );

const TextFact = ({ name, text }: { readonly name: string; readonly text: string | null }) =>
  text === null ? null : (
    <div>
      <dt>{name}</dt>
      <dd>{text}</dd>
    </div>
  );

/** Leads to the tracing UI of the site; without one, the id alone would help nobody here. */
function TraceFact({ id }: { readonly id: string | null }) {
  const address = session.value?.traceUrl;
  if (id === null || address === undefined) return null;
  return (
    <div>
      <dt>{say("entry.trace")}</dt>
      <dd>
        <a href={address.replaceAll("{traceId}", id)} target="_blank" rel="noopener noreferrer">
          {id}
        </a>
      </dd>
    </div>
  );
}

function Mentions({ title, entries }: { readonly title: string; readonly entries: readonly EntryMention[] }) {
  if (entries.length === 0) return null;
  return (
    <div>
      <p class="head">{title}</p>
      <ul class="plain-list">
        {entries.map((one) => (
          <li key={one.seq}>
            <Link to={pathTo("entries", one.seq)}>#{one.seq}</Link> {sayEvent(one)} <StateBadge state={one.state} />
          </li>
        ))}
      </ul>
    </div>
  );
}
