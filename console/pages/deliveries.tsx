import { useState } from "preact/hooks";
import type { FailureGroup, FailureGroups } from "../../src/engine/journal-view/entries/failure-groups.ts";
import type { Overview } from "../../src/engine/journal-view/open-overview.ts";
import type { QuarantinePageView } from "../../src/server/admin/quarantine-routes.ts";
import { address, setFilters } from "../address.ts";
import { ActDialog, type SimpleAction } from "../parts/act-dialog.tsx";
import { attentionKinds, DeliveryFilters, deliveryFilter } from "../parts/deliveries/delivery-filters.tsx";
import { EntryTable } from "../parts/deliveries/entry-table.tsx";
import { PersonActions } from "../parts/deliveries/person-actions.tsx";
import { Link } from "../parts/link.tsx";
import { Empty, Loaded, useResource } from "../parts/resource.tsx";
import { Age, FailureBadge, Moment } from "../parts/small-parts.tsx";
import { Targets } from "../parts/targets.tsx";
import { say, sayNumber } from "../say.ts";
import { may } from "../session.ts";

type TargetList = ReturnType<Overview["targets"]>;
type Filter = Readonly<Record<string, string>>;

/** What is not delivered, by cause, or what was delivered; and what can be done about it. */
export function Deliveries() {
  const filter = deliveryFilter();
  const targets = useResource<TargetList>("admin/targets");
  return (
    <>
      <h1>{say("nav.deliveries")}</h1>
      <Loaded of={targets}>{(list) => <Targets targets={list.targets} />}</Loaded>
      <DeliveryFilters />
      {filter["failure"] === attentionKinds ? <InQuarantine /> : null}
      {filter["state"] === undefined ? <Undelivered filter={filter} /> : <Finished filter={filter} />}
      <PersonActions />
    </>
  );
}

/** Records that never became an entry also wait for a person. */
function InQuarantine() {
  const resource = useResource<QuarantinePageView>("admin/quarantine?limit=1");
  const total = resource.data?.total ?? 0;
  const [newest] = resource.data?.records ?? [];
  if (newest === undefined) return null;
  return (
    <ul class="groups">
      <li class="group">
        <Link to="quarantine" class="plain group-link">
          <span class="big">{sayNumber(total)}</span>
          <span class="grow">
            <span class="badge warn">{say("nav.quarantine")}</span> <b>{newest.source}</b>
            <span class="text break">{newest.problems[0]?.text ?? ""}</span>
          </span>
        </Link>
      </li>
    </ul>
  );
}

function Undelivered({ filter }: { readonly filter: Filter }) {
  const resource = useResource<FailureGroups>(`admin/deliveries?${new URLSearchParams(filter)}`);
  return (
    <Loaded of={resource}>
      {(data) =>
        data.groups.length === 0 ? (
          <Empty text={say("failure.none")} hint={say("failure.noneHint")} />
        ) : (
          <Groups data={data} filter={filter} />
        )
      }
    </Loaded>
  );
}

/** Delivered and skipped entries, which can be sent again: all that the filter matches, not only those on this page. */
function Finished({ filter }: { readonly filter: Filter }) {
  const [isActing, setActing] = useState(false);
  return (
    <>
      {may("operator") ? (
        <div class="bar">
          <span />
          <span class="actions">
            <button type="button" onClick={() => setActing(true)}>
              {say("failure.replayAll")}
            </button>
          </span>
        </div>
      ) : null}
      <EntryTable filter={filter} />
      {isActing ? <ActDialog action="replay" filter={filter} onClose={() => setActing(false)} /> : null}
    </>
  );
}

function Groups({ data, filter }: { readonly data: FailureGroups; readonly filter: Filter }) {
  const opened = address.value.query.get("cause");
  const [acting, setActing] = useState<{ action: SimpleAction; filter: Filter } | null>(null);
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
      {isOpen ? <EntryTable filter={{ cause }} /> : null}
    </li>
  );
}
