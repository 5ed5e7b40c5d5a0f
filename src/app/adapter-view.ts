import { embeddedName } from "../config/checks/check-references.ts";
import type { Config } from "../config/config-schema.ts";
import { type EventId, type OperationId, operationIds, operationRow, type QueryId } from "../contract/operations.ts";
import type { FailureGroups } from "../engine/journal-view/entries/failure-groups.ts";
import type { Overview } from "../engine/journal-view/open-overview.ts";
import type { Quarantine } from "../engine/quarantine/quarantine.ts";
import { capabilityNames, capabilityOf } from "../engine/queries/routing.ts";
import type { Clock } from "../kit/time/clock.ts";
import type { Language } from "../messages/languages.ts";
import { localise } from "../messages/localise.ts";
import type { AdapterOverview, ConnectorView, EndpointView } from "../server/admin/overview-routes.ts";
import type { Readiness } from "../server/ops/health-routes.ts";

export interface AdapterViewNeeds {
  readonly config: () => Config;
  readonly overview: Pick<Overview, "targets" | "failures">;
  readonly quarantine: Pick<Quarantine, "count">;
  readonly readiness: () => Readiness;
  readonly version: string;
  readonly clock: Clock;
}

/**
 * Failures are kept this long: reading all undelivered entries every second for each open console would slow down the
 * floor.
 */
const failuresKeptMs = 5_000;

/** The state of the whole adapter for the console. */
export function adapterView(needs: AdapterViewNeeds): (language: Language) => Promise<AdapterOverview> {
  const { config, overview, quarantine, readiness, version, clock } = needs;
  const startedAt = new Date(clock.now()).toISOString();
  let kept: { readonly at: number; readonly failures: Promise<FailureGroups> } | null = null;
  const failures = () => {
    const now = clock.now();
    if (kept === null || now - kept.at >= failuresKeptMs || now < kept.at) {
      kept = { at: now, failures: overview.failures({}) };
    }
    return kept.failures;
  };

  return async (language) => {
    const { targets, entries } = overview.targets();
    const { ready, reasons, alarms = [], owner = null, fallback = [] } = readiness();
    const { groups } = await failures();
    // Entries behind a dead one are not in the hands of the outbox, but people wait for them too.
    const behind = groups.flatMap(({ dead, oldestAt }) => (dead > 0 ? [] : [Date.parse(oldestAt)]));
    const oldest = targets.flatMap(({ oldestAt }) => (oldestAt == null ? [] : [oldestAt])).concat(behind);
    return {
      ...{ version, startedAt, owner, ready, reasons, entries, quarantine: quarantine.count() },
      // Only a process whose events are in PostgreSQL is an owner.
      store: owner === null ? "SQLite" : "PostgreSQL",
      alarms: alarms.map((alarm) => ({ ...alarm, text: localise(alarm.text, language) })),
      oldestWaitingAt: oldest.length === 0 ? null : new Date(Math.min(...oldest)).toISOString(),
      connectors: connectorViews(config(), targets, groups, fallback),
      endpoints: operationIds.map((id) => endpointView(config(), id)),
    };
  };
}

type Targets = ReturnType<Overview["targets"]>["targets"];

function connectorViews(
  { connectors, serve }: Config,
  targets: Targets,
  groups: FailureGroups["groups"],
  fallback: NonNullable<Readiness["fallback"]>,
): ConnectorView[] {
  // One that gets nothing any more is only of interest while something for it is left.
  const isLeft = ({ target, waiting, inFlight }: Targets[number]) =>
    waiting + inFlight > 0 || groups.some((group) => group.target === target);
  const shown = targets.filter((one) => !one.isRemoved || isLeft(one));
  const others = shown.map(({ target }) => target).filter((name) => name !== "" && !Object.hasOwn(connectors, name));
  const named = [...Object.entries(connectors).map(([name, { type }]) => [name, type] as const)];
  return [...named, ...others.map((name) => [name, ""] as const)].map(([name, type]) => {
    const { target: _target, oldestAt, ...state } = shown.find(({ target }) => target === name) ?? { target: name };
    const [worst] = groups
      .filter(({ target, text }) => target === name && text !== "")
      .sort((a, b) => (a.newestAt < b.newestAt ? 1 : -1));
    return {
      ...{ ...state, name, type, serves: capabilityNames.filter((capability) => serve[capability] === name) },
      oldestAt: oldestAt == null ? null : new Date(oldestAt).toISOString(),
      unanswered: fallback
        .filter(({ connector }) => connector === name)
        .map(({ capability, since }) => ({ capability, since })),
      lastError: worst === undefined ? null : { text: worst.text, status: worst.status, at: worst.newestAt },
    };
  });
}

function endpointView(config: Config, id: OperationId): EndpointView {
  const { method, path, kind } = operationRow(id);
  return { operation: id, method, path, kind, servedBy: servedBy(config, id) };
}

function servedBy({ serve, events }: Config, id: OperationId): string {
  const { kind } = operationRow(id);
  // The kind shows that the id has the narrower type.
  if (kind === "event") return events.by[id as EventId] ?? events.to ?? embeddedName;
  // Every operation that is not an event is a query.
  const capability = capabilityOf(id as QueryId);
  return capability === undefined ? embeddedName : (serve[capability] ?? embeddedName);
}
