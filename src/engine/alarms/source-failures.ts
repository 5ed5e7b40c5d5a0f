import type { Clock } from "../../kit/time/clock.ts";
import { say } from "../../messages/message.ts";
import type { SourceResult } from "../../sdk/intake.ts";
import { type Condition, wallTime } from "./alarm.ts";

/** The polls and watched folders whose last read failed. */
export interface SourceFailures {
  /** Records that a read of a part of a connector has begun, or its result. */
  readonly note: (connector: string, part: string, result: SourceResult) => void;
  readonly conditions: (needs: {
    readonly timeZone: string;
    /** How long the reads have to fail; 0: no alarm. */
    readonly minutes: number;
  }) => Condition[];
}

interface Failing {
  readonly since: number;
  lastAt: number;
  isReading: boolean;
}

export function sourceFailures(needs: {
  readonly clock: Clock;
  /** Since when connectors were failing before the restart, by their names. */
  readonly before?: ReadonlyMap<string, number>;
}): SourceFailures {
  const { clock } = needs;
  const before = new Map(needs.before);
  const failing = new Map<string, Map<string, Failing>>();
  /** A read may take an hour and still be well: how it ends is not known before. */
  const unknownMs = ({ isReading, lastAt }: Failing) => (isReading ? Math.max(0, clock.now() - lastAt) : 0);
  return {
    note: (connector, part, result) => {
      const parts = failing.get(connector) ?? new Map<string, Failing>();
      const known = parts.get(part);
      if (result === "worked") parts.delete(part);
      else if (result === "failed") {
        const now = clock.now();
        parts.set(part, { since: known?.since ?? now, lastAt: now, isReading: false });
      } else if (known !== undefined) known.isReading = true;
      if (result === "worked" && parts.size === 0) before.delete(connector);
      if (parts.size === 0) failing.delete(connector);
      else failing.set(connector, parts);
    },
    // Without the reasons: they may quote what an external system answered, and this text is shown without a key.
    conditions: ({ timeZone, minutes }) =>
      minutes === 0
        ? []
        : [...failing].map(([connector, parts]) => {
            const all = [...parts.values()];
            const time = wallTime(
              Math.min(before.get(connector) ?? clock.now(), ...all.map(({ since }) => since)),
              timeZone,
            );
            const values = { connector, parts: [...parts.keys()].toSorted().join(", "), time };
            return {
              ...{ kind: "source", subject: connector, text: say("alarms.source", values) },
              raiseAfterMs: minutes * 60_000 + Math.min(...all.map(unknownMs)),
            };
          }),
  };
}
