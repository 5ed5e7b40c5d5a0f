import { operationRow, type TellId } from "../contract/operations.ts";
import type { Attempt, Verdict } from "../journal/entry.ts";
import type { Lease, Settled } from "../journal/journal.ts";
import { Fault } from "../sdk/fault.ts";
import { type AnyOutcome, ok } from "../sdk/outcome.ts";
import { budgetMs } from "./budgets.ts";
import { call } from "./call.ts";
import { deliveryOf } from "./delivery-of.ts";
import type { Reservation } from "./outbox/outbox.ts";
import type { TellRoute } from "./routing.ts";
import { settleFault } from "./settle-fault.ts";
import type { TellNeeds, Told } from "./tell.ts";

export interface HeldTell {
  readonly id: TellId;
  readonly told: Told;
  readonly route: TellRoute;
  readonly lease: Lease;
  readonly reservation: Reservation;
}

/** Asks the target within the time budget while the platform waits, and ends the entry by what it says. */
export async function deliverNow(needs: TellNeeds, held: HeldTell): Promise<AnyOutcome> {
  const { route, told, id, lease } = held;
  const row = operationRow(id);
  const entry = needs.journal.read.entry(lease.seq);
  if (entry === null) throw new Error(`entry ${lease.seq} is not in the journal it was just written to`);
  const startedAt = needs.clock.now();
  const attempt = (rest: Partial<Attempt> = {}): Attempt => ({ startedAt, endedAt: needs.clock.now(), ...rest });
  try {
    const answer = await call({
      operate: route.operate,
      input: told.input,
      language: told.language,
      delivery: deliveryOf(entry, needs.journal.read),
      deadlineMs: budgetMs(row, needs.budgets),
    });
    if (!answer.ok) return await settle(needs, held, { state: "rejected" }, attempt(), answer);
    // A target that has nothing to add leaves the answer to the books, which may offer a pending change.
    const says = answer.message !== undefined || hasUpdate(answer.data);
    return await settle(needs, held, { state: "delivered" }, attempt(), says ? answer : null);
  } catch (error) {
    const isSilent = !(error instanceof Fault) || error.kind !== "rejected";
    const failed = attempt({ error: describe(error), ...statusOf(error) });
    if (isSilent && route.mode === "direct-then-durable") {
      return settle(needs, held, { state: "accepted" }, failed, null);
    }
    const refusal = settleFault(row, error, needs);
    const verdict: Verdict = isSilent ? { state: "rejected", reason: "ambiguous" } : { state: "rejected" };
    return settle(needs, held, verdict, failed, refusal);
  }
}

async function settle(
  needs: TellNeeds,
  { id, lease, reservation }: HeldTell,
  verdict: Verdict,
  attempt: Attempt,
  answer: AnyOutcome | null,
): Promise<AnyOutcome> {
  let settled: Settled;
  try {
    settled = await needs.journal.settle(lease, verdict, attempt, answer === null ? undefined : JSON.stringify(answer));
  } catch (error) {
    // The outcome could not be written down. The entry keeps its lease and its lanes until the next start, which
    // voids the lease and delivers it again under the same id: nothing is lost, and nothing overtakes it.
    return settleFault(operationRow(id), error, needs);
  }
  needs.outbox.add(settled.emitted);
  if (settled.applied?.touched) needs.onTouched();
  const open = verdict.state === "accepted" ? needs.journal.read.open(lease.seq - 1, 1)[0] : undefined;
  reservation.release(open?.seq === lease.seq ? open : undefined);
  if (answer !== null) return answer;
  // The books' own answer, where they were kept; what a target refuses in them is not up to us.
  const booked = settled.applied?.outcome as AnyOutcome | undefined;
  return booked?.ok === true
    ? booked
    : ok(operationRow(id).data === undefined ? null : { updateWorkOrderRequest: null });
}

const hasUpdate = (data: unknown): boolean =>
  typeof data === "object" &&
  data !== null &&
  (data as { updateWorkOrderRequest?: unknown }).updateWorkOrderRequest != null;

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 2000);

function statusOf(error: unknown): Pick<Attempt, "status" | "response"> {
  if (!(error instanceof Fault)) return {};
  const { status, text } = error.answer;
  return {
    ...(status === undefined ? {} : { status }),
    ...(text === undefined ? {} : { response: text.slice(0, 4000) }),
  };
}
