import { useState } from "preact/hooks";
import type { FailureGroup, FailureGroups } from "../../src/engine/journal-view/entries/failure-groups.ts";
import { failureKinds } from "../../src/engine/journal-view/entries/failure-kind.ts";
import type { EntryPage, Overview } from "../../src/engine/journal-view/open-overview.ts";
import { address, pathTo, setFilters } from "../address.ts";
import { ActDialog, type SimpleAction } from "../parts/act-dialog.tsx";
import { Link } from "../parts/link.tsx";
import { Empty, Loaded, useResource } from "../parts/resource.tsx";
import { Age, FailureBadge, Moment, StateBadge } from "../parts/small-parts.tsx";
import { Targets } from "../parts/targets.tsx";
import { say, sayNumber } from "../say.ts";
import { may } from "../session.ts";

type TargetList = ReturnType<Overview["targets"]>;
const filterNames = ["failure", "target", "order", "topic"] as const;

/** What is not delivered, by cause, and what can be done about it. */
export function Deliveries() {
  const { query } = address.value;
  const given = filterNames.flatMap((name) => {
    const value = query.get(name);
    return value === null || value === "" ? [] : [[name, value] as const];
  });
  const filter = Object.fromEntries(given);
  const resource = useResource<FailureGroups>(`admin/deliveries?${new URLSearchParams(filter)}`);
  const targets = useResource<TargetList>("admin/targets");
  const failure = query.get("failure");
  return (
    <>
      <h1>{say("nav.deliveries")}</h1>
      <Loaded of={targets}>{(list) => <Targets targets={list.targets} />}</Loaded>
      <div class="filters">
        <fieldset class="choices">
          <legend class="hidden">{say("failure.title")}</legend>
          {[null, ...failureKinds].map((kind) => (
            <button
              key={kind}
              type="button"
              aria-pressed={failure === kind}
              onClick={() => setFilters({ failure: kind, cause: null })}
            >
              {say(`failure.${kind ?? "all"}`)}
            </button>
          ))}
        </fieldset>
        {given
          .filter(([name]) => name !== "failure")
          .map(([name, value]) => (
            <button key={name} type="button" class="chip" onClick={() => setFilters({ [name]: null })}>
              {name}: {value} ✕
            </button>
          ))}
      </div>
      <Loaded of={resource}>
        {(data) =>
          data.groups.length === 0 ? (
            <Empty text={say("failure.none")} hint={say("failure.noneHint")} />
          ) : (
            <Groups data={data} filter={filter} />
          )
        }
      </Loaded>
      <Audit />
    </>
  );
}

interface Acted {
  readonly at: string;
  readonly operator: string;
  readonly action: "pause" | "resume" | "drop";
  readonly subject: string;
  readonly reason: string | null;
}

/** What people changed here that is not about one entry. */
function Audit() {
  const audit = useResource<{ readonly actions: readonly Acted[] }>("admin/audit");
  if (audit.data === null || audit.data.actions.length === 0) return null;
  const names = { pause: "target.pause", resume: "target.resume", drop: "quarantine.drop" } as const;
  return (
    <details>
      <summary>{say("entry.audit")}</summary>
      <ul class="plain-list">
        {audit.data.actions.map((one) => (
          <li key={one.at + one.action + one.subject}>
            <Moment at={one.at} /> <b>{one.operator}</b> {say(names[one.action])}: {one.subject}
            {one.reason === null ? "" : ` (${one.reason})`}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Groups({ data, filter }: { readonly data: FailureGroups; readonly filter: Readonly<Record<string, string>> }) {
  const opened = address.value.query.get("cause");
  const [acting, setActing] = useState<{ action: SimpleAction; filter: Readonly<Record<string, string>> } | null>(null);
  const all = { ...filter, state: "dead,retry" };
  return (
    <>
      <div class="bar">
        <p role="status">
          {say("failure.count", { count: sayNumber(data.count), groups: data.groups.length })}
          {data.isCut ? ` ${say("failure.cut")}` : ""}
        </p>
        {may("operator") ? (
          <span class="actions">
            <button type="button" onClick={() => setActing({ action: "retry", filter: all })}>
              {say("failure.retryAll")}
            </button>
            <button type="button" onClick={() => setActing({ action: "skip", filter: all })}>
              {say("failure.skipAll")}
            </button>
          </span>
        ) : null}
      </div>
      <ul class="groups">
        {data.groups.map((group) => (
          <Group
            key={group.cause}
            group={group}
            isOpen={opened === group.cause}
            onAct={(action) => setActing({ action, filter: { ...filter, cause: group.cause } })}
          />
        ))}
      </ul>
      {acting === null ? null : <ActDialog {...acting} onClose={() => setActing(null)} />}
    </>
  );
}

interface GroupProps {
  readonly group: FailureGroup;
  readonly isOpen: boolean;
  readonly onAct: (action: SimpleAction) => void;
}

function Group({ group, isOpen, onAct }: GroupProps) {
  const { cause, kind, count, target, text, status, oldestAt, nextAttemptAt, dead, retrying } = group;
  return (
    <li class="group">
      <div class="group-head">
        <button
          type="button"
          class="plain grow"
          aria-expanded={isOpen}
          onClick={() => setFilters({ cause: isOpen ? null : cause })}
        >
          <span class="big">{sayNumber(count)}</span>
          <span class="grow">
            <FailureBadge kind={kind} /> <b>{target}</b> {status === null ? null : <code>{status}</code>}
            <span class="text break">{text === "" ? group.topics.join(", ") : text}</span>
            <span class="quiet">
              {say("failure.oldest")} <Age at={oldestAt} />
              {nextAttemptAt === null ? null : (
                <>
                  {" · "}
                  {say("entry.nextAttempt")} <Moment at={nextAttemptAt} />
                </>
              )}
            </span>
          </span>
        </button>
        {may("operator") && dead + retrying > 0 ? (
          <span class="actions">
            <button type="button" onClick={() => onAct("retry")}>
              {say("act.retry")}
            </button>
            <button type="button" onClick={() => onAct("skip")}>
              {say("act.skip")}
            </button>
          </span>
        ) : null}
      </div>
      {isOpen ? <Entries cause={cause} /> : null}
    </li>
  );
}

function Entries({ cause }: { readonly cause: string }) {
  const resource = useResource<EntryPage>(`admin/journal?cause=${encodeURIComponent(cause)}&limit=100`);
  return (
    <Loaded of={resource}>
      {(page) => (
        <table class="list">
          <thead>
            <tr>
              <th scope="col">{say("entry.number")}</th>
              <th scope="col">{say("entry.orders")}</th>
              <th scope="col">{say("entry.what")}</th>
              <th scope="col">{say("order.state")}</th>
              <th scope="col">{say("entry.received")}</th>
            </tr>
          </thead>
          <tbody>
            {page.entries.map((entry) => (
              <tr key={entry.seq}>
                <th scope="row">
                  <Link to={pathTo("entries", entry.seq)}>#{entry.seq}</Link>
                </th>
                <td>
                  {entry.orders.map((order) => (
                    <Link key={order} to={pathTo("orders", order)}>
                      {order}
                    </Link>
                  ))}
                </td>
                <td class="break">{entry.text}</td>
                <td>
                  <StateBadge state={entry.state} />
                </td>
                <td>
                  <Moment at={entry.receivedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Loaded>
  );
}
