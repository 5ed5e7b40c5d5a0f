import { say } from "../../messages/message.ts";
import type { TargetOverview } from "../outbox/outbox.ts";
import type { Condition } from "./alarm.ts";
import type { FlowMarks } from "./flow-marks.ts";
import { wallTime } from "./wall-time.ts";

export interface TargetNeeds {
  readonly targets: readonly TargetOverview[];
  readonly flows: Pick<FlowMarks, "last">;
  readonly now: number;
  /** When this process began: what an earlier one had found out about its targets is not known any more. */
  readonly startedAt: number;
  readonly timeZone: string;
  /** 0: nobody is told. */
  readonly stuckMinutes: number;
  readonly circuitOpenMinutes: number;
}

/** The flow under which deliveries are marked. */
export const deliveryFlow = "deliveries";

/** A target that does not answer, and one to which nothing goes although something waits. One cause is one alarm. */
export function targetConditions(needs: TargetNeeds): Condition[] {
  const { targets, flows, now, startedAt, timeZone, stuckMinutes, circuitOpenMinutes } = needs;
  return targets.flatMap(({ target, breaker, isPaused, waiting, inFlight, oldestAt }): Condition[] => {
    const count = waiting + inFlight;
    if (breaker !== "closed") {
      if (circuitOpenMinutes === 0) return [];
      const text = say("alarms.circuit", { target, count });
      return [{ kind: "circuit", subject: target, text, raiseAfterMs: circuitOpenMinutes * 60_000 }];
    }
    if (oldestAt === undefined || oldestAt === null || stuckMinutes === 0) return [];
    const lastAt = Math.max(oldestAt, flows.last(deliveryFlow, target) ?? 0);
    if (now - Math.max(lastAt, startedAt) < stuckMinutes * 60_000) return [];
    const values = { target, count, time: wallTime(lastAt, timeZone), paused: isPaused ? "yes" : "no" };
    return [{ kind: "stuck", subject: target, text: say("alarms.stuck", values) }];
  });
}
