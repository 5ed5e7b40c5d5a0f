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
import { Age, ErrorText, FailureBadge, Moment } from "../parts/small-parts.tsx";
import { Targets } from "../parts/targets.tsx";
import { say, sayNumber, sayTopic } from "../say.ts";
import { may } from "../session.ts";

type TargetList = ReturnType<Overview["targets"]>;
type Filter = Readonly<Record<string, string>>;

/** Entries that are not delivered, by cause, or entries that were; and what can be done about them. */
export function Deliveries() {
  const filter = deliveryFilter();
  const targets = useResource<TargetList>("admin/targets");
  return (
    <>
      <h1>{say("nav.deliveries")}</h1>
      <Loaded of={targets}>{(list) => <Targets targets={list.targets} />}</Loaded>
      <DeliveryFilters />
      {filter["failure"] === attentionKinds ? <InQuarantine /> : null}
      {filter["state"] === undefined ? (
        <Undelivered filter={filter} removed={removedIn(targets.data)} />
      ) : (
        <Finished filter={filter} />
      )}
      <PersonActions />
    </>
  );
}

/** The systems to which nothing is sent any more. What waits for them waits until somebody skips it. */
const removedIn = (list: TargetList | null): readonly string[] =>
  list?.targets.filter(({ isRemoved }) => isRemoved).map(({ target }) => target) ?? [];

/** Records in quarantine. They have no entry, and need attention as well. */
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

interface Acting {
  readonly action: SimpleAction;
  readonly filter: Filter;
}

interface UndeliveredNeeds {
  readonly filter: Filter;
  readonly removed: readonly string[];
}

function Undelivered({ filter, removed }: UndeliveredNeeds) {
  const resource = useResource<FailureGroups>(`admin/deliveries?${new URLSearchParams(filter)}`);
  // Not within the list: when its last entry is delivered, the report of what was done would close before it is read.
  const [acting, setActing] = useState<Acting | null>(null);
  return (
    <>
      <Loaded of={resource}>
        {(data) =>
          data.groups.length === 0 ? (
            <Empty text={say("failure.none")} hint={say("failure.noneHint")} />
          ) : (
            <Groups {...{ data, filter, removed }} onAct={setActing} />
          )
        }
      </Loaded>
      {acting === null ? null : <ActDialog {...acting} onClose={() => setActing(null)} />}
    </>
  );
}

/** Delivered and skipped entries. They can be sent again: all that match the filter, not only those on this page. */
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

interface GroupsNeeds extends UndeliveredNeeds {
  readonly data: FailureGroups;
  readonly onAct: (acting: Acting) => void;
}

function Groups({ data, filter, removed, onAct }: GroupsNeeds) {
  const opened = address.value.query.get("cause");
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
            <button type="button" onClick={() => onAct({ action: "retry", filter: all })}>
              {say("failure.retryAll")}
            </button>
            <button type="button" onClick={() => onAct({ action: "skip", filter: all })}>
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
            filter={filter}
            isOpen={opened === group.cause}
            isRemoved={removed.includes(group.target)}
            onAct={(action) => onAct({ action, filter: { ...filter, cause: group.cause } })}
          />
        ))}
      </ul>
    </>
  );
}

interface GroupProps {
  readonly group: FailureGroup;
  readonly filter: Filter;
  readonly isOpen: boolean;
  /** Whether nothing is sent to its system any more. */
  readonly isRemoved: boolean;
  readonly onAct: (action: SimpleAction) => void;
}

function Group({ group, filter, isOpen, isRemoved, onAct }: GroupProps) {
  const { cause, kind, count, target, text, status, oldestAt, nextAttemptAt, dead, retrying } = group;
  return (
    <li class="group">
      <div class="group-head">
        <button
          type="button"
          class="plain grow"
          aria-expanded={isOpen}
          onClick={() => setFilters({ cause: isOpen ? null : cause, before: null })}
        >
          <span class="big">{sayNumber(count)}</span>
          <span class="grow">
            <FailureBadge kind={kind} /> <b>{target}</b> {status === null ? null : <code>{status}</code>}
            <ErrorText text={text === "" ? group.topics.map(sayTopic).join(", ") : text} />
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
        {may("operator") && (isRemoved || dead + retrying > 0) ? (
          <span class="actions">
            {dead + retrying > 0 ? (
              <button type="button" onClick={() => onAct("retry")}>
                {say("act.retry")}
              </button>
            ) : null}
            <button type="button" onClick={() => onAct("skip")}>
              {say("act.skip")}
            </button>
          </span>
        ) : null}
      </div>
      {isOpen ? <EntryTable filter={{ ...filter, cause }} /> : null}
    </li>
  );
}
