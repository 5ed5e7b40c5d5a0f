import { capabilityNames } from "../engine/capabilities.ts";
import type { GuardedAsks, IslandState } from "../engine/island/guard-asks.ts";
import type { IslandFile } from "../engine/island/open-island-file.ts";
import type { Quarantine } from "../engine/quarantine/quarantine.ts";
import type { ServedOrders } from "../engine/served-orders.ts";
import type { JournalReader } from "../journal/journal.ts";
import type { Clock } from "../kit/clock.ts";
import type { Log } from "../kit/log.ts";
import type { Timers } from "../kit/timers.ts";
import { embeddedName } from "./check-references.ts";
import type { Config } from "./config-schema.ts";
import type { Guard } from "./generation.ts";

export interface OutsideGuard {
  readonly guardFor: (config: Config) => Promise<Guard>;
  /** What is answered from last known data at the moment. */
  readonly islandState: () => readonly IslandState[];
  readonly close: () => Promise<void>;
}

/** Last known data, coalescing and quarantine for every connector outside that is asked. */
export function outsideGuard(needs: {
  readonly dataFolder: string;
  readonly read: JournalReader;
  readonly quarantine: Quarantine;
  readonly onServed: ServedOrders;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}): OutsideGuard {
  let guarded = new Map<string, GuardedAsks>();
  let opened: IslandFile | undefined;

  return {
    guardFor: async ({ serve, orders, budgets, timeZone, timeOfDay }) => {
      const isAsked = capabilityNames.some((name) => (serve[name] ?? embeddedName) !== embeddedName);
      if (!isAsked) {
        guarded = new Map();
        return (_name, { operations }) => operations;
      }
      // Loaded when somebody outside is asked: an adapter with nothing but its own store has no use for it.
      const [{ guardAsks }, { openIslandFile }, { workSeen }] = await Promise.all([
        import("../engine/island/guard-asks.ts"),
        import("../engine/island/open-island-file.ts"),
        import("../engine/island/work-seen.ts"),
      ]);
      opened ??= openIslandFile(needs);
      const file = opened;
      const own = new Map<string, GuardedAsks>();
      return (name, connector) => {
        const asks = guardAsks({
          ...needs,
          name,
          connector,
          known: file.of(name),
          work: workSeen(needs.read),
          freshness: serve.freshness,
          served: { dates: { timeZone, timeOfDay }, invalidOrders: orders.invalid },
          budgets,
        });
        own.set(name, asks);
        // Called when the new configuration takes over: who is not asked any more is not missed any more.
        guarded = own;
        return asks.operations;
      };
    },
    islandState: () => [...guarded.values()].flatMap((asks) => asks.islandState()),
    close: async () => {
      await opened?.settled();
      opened?.close();
    },
  };
}
