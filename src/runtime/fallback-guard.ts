import { servingConnector } from "../config/checks/check-references.ts";
import type { Config } from "../config/config-schema.ts";
import type { WorkOrder } from "../contract/schemas/work-order.ts";
import type { FallbackState, GuardedQueries } from "../engine/fallback/guard-queries.ts";
import { scanKeyBeginning } from "../engine/fallback/last-known.ts";
import type { FallbackFile } from "../engine/fallback/open-fallback-file.ts";
import type { FindLastKnown, LastKnownOrder } from "../engine/journal-view/orders/last-known-order.ts";
import type { Quarantine } from "../engine/quarantine/quarantine.ts";
import type { ServedOrders } from "../engine/queries/check-served.ts";
import { capabilityNames } from "../engine/queries/routing.ts";
import type { JournalReader } from "../journal/journal.ts";
import type { UserCount } from "../kit/current-snapshot.ts";
import { parseStored } from "../kit/json/parse-in-turns.ts";
import type { SideDatabaseOptions } from "../kit/sqlite/side-database.ts";
import type { Clock } from "../kit/time/clock.ts";
import type { Timers } from "../kit/time/timers.ts";
import type { OpenConnector } from "../sdk/connector.ts";

export type Guard = (name: string, connector: Pick<OpenConnector, "operations">) => OpenConnector["operations"];

/** Protects the queries that one configuration sends to external systems. */
export interface FallbackGuard {
  readonly guard: Guard;
  /** The queries that are answered from fallback data at the moment. */
  readonly state: () => readonly FallbackState[];
}

export interface FallbackGuards {
  readonly guardFor: (config: Config, users: UserCount) => Promise<FallbackGuard>;
  /** Returns an order as an external system served it last; null if it is not known. */
  readonly orderOf: (number: string) => Promise<WorkOrder | null>;
  /** The same with where and when it was served, also after it has left the list: for people. */
  readonly lastKnown: FindLastKnown;
  readonly close: () => Promise<void>;
}

/** Adds fallback data, coalescing and quarantine to every connector that answers queries. */
export function fallbackGuards(
  needs: SideDatabaseOptions & {
    readonly read: JournalReader;
    readonly quarantine: Quarantine;
    readonly onServed: ServedOrders;
    readonly clock: Clock;
    readonly timers: Timers;
  },
): FallbackGuards {
  let opened: FallbackFile | undefined;
  const asked = new Set<string>();

  return {
    guardFor: async ({ serve, orders, budgets, timeZone, timeOfDay }, users) => {
      const isAsked = capabilityNames.some((name) => servingConnector(serve, name) !== undefined);
      if (!isAsked) return { guard: (_name, { operations }) => operations, state: () => [] };
      // Loaded only if an external system answers queries; a deployment with only the embedded store does not need it.
      const [{ guardQueries }, { openFallbackFile }, { reportedWork }] = await Promise.all([
        import("../engine/fallback/guard-queries.ts"),
        import("../engine/fallback/open-fallback-file.ts"),
        import("../engine/fallback/reported-work.ts"),
      ]);
      opened ??= openFallbackFile(needs);
      const file = opened;
      const guarded: GuardedQueries[] = [];
      return {
        guard: (name, connector) => {
          const queries = guardQueries({
            ...needs,
            name,
            connector,
            users,
            known: file.of(name),
            work: reportedWork(needs.read),
            freshness: serve.freshness,
            served: { dates: { timeZone, timeOfDay }, invalidOrders: orders.badRecords },
            budgets,
          });
          asked.add(name);
          guarded.push(queries);
          return queries.operations;
        },
        state: () => guarded.flatMap((queries) => queries.fallbackState()),
      };
    },
    orderOf: async (number) => {
      for (const name of asked) {
        const found = opened === undefined ? null : await opened.of(name).listedOrder(number);
        if (found !== null) return found;
      }
      return null;
    },
    lastKnown: async (number) => {
      const found: LastKnownOrder[] = [];
      for (const system of opened === undefined ? [] : asked) {
        const known = opened?.of(system);
        const at = known?.listAt() ?? null;
        const order = (await known?.listedOrder(number)) ?? null;
        if (order !== null && at !== null) found.push({ system, at, order });
        const scan = known?.latestAnswer("findWorkOrderByCode", scanKeyBeginning(number));
        // The answer was stored from a checked order.
        const scanned = scan?.text == null ? null : ((await parseStored(scan.text)) as WorkOrder);
        if (scan !== undefined && scanned?.number === number) found.push({ system, at: scan.at, order: scanned });
      }
      return found.toSorted((one, other) => other.at - one.at)[0] ?? null;
    },
    close: async () => {
      await opened?.settled();
      opened?.close();
    },
  };
}
