import { resultForFault } from "../../contract/operation.ts";
import { type InputOf, operationIds, operationRow, type QueryId } from "../../contract/operations.ts";
import type { PushTopic } from "../../contract/pushes.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import type { UserCount } from "../../kit/current-snapshot.ts";
import { parseStored } from "../../kit/json/parse-in-turns.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { Language } from "../../messages/languages.ts";
import { isReadable, say } from "../../messages/message.ts";
import { Fault } from "../../operation/fault.ts";
import { scannedInput } from "../../operation/normalise-work-order.ts";
import { type AnyOutcome, ReadyJson } from "../../operation/outcome.ts";
import type { OpenConnector } from "../../sdk/connector.ts";
import { OrderTexts, shownNumber } from "../intake/order-texts.ts";
import type { BadRecordLog } from "../quarantine/order-filter.ts";
import type { Quarantine } from "../quarantine/quarantine.ts";
import { type Budgets, budgetMs } from "../queries/call.ts";
import {
  checkServedInTurns,
  gatherParts,
  ofThisStorage,
  type ServedOrders,
  type ServedSettings,
} from "../queries/check-served.ts";
import { type Freshness, fallbackQueries, type LastKnown, lookUpKey } from "./last-known.ts";
import { type AnyOperate, type LateCalls, liveCall, type Trouble, trouble } from "./live-call.ts";
import { recall, remember } from "./recall.ts";
import type { ReportedWork } from "./reported-work.ts";

export interface GuardNeeds {
  readonly connector: Pick<OpenConnector, "operations">;
  readonly name: string;
  readonly known: LastKnown;
  readonly work: ReportedWork;
  readonly quarantine: Quarantine;
  readonly freshness: Freshness;
  readonly served: Omit<ServedSettings, "badRecords" | "badItems">;
  /** Records the orders that were served. */
  readonly onServed: ServedOrders;
  readonly budgets: Budgets;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Counts running calls, also those nobody waits for any more. */
  readonly users?: UserCount;
}

export interface FallbackState {
  readonly connector: string;
  readonly capability: string;
  /** When the first call failed. */
  readonly since: number;
}

export interface GuardedQueries {
  /** The connector's operations; its queries are answered from fallback data while it does not answer. */
  readonly operations: OpenConnector["operations"];
  /** The queries that are answered from fallback data at the moment. */
  readonly fallbackState: () => readonly FallbackState[];
}

/** Share of the time budget after which fallback data is returned; the rest is for writing and sending it. */
const waitShare = 0.85;

/**
 * Guards the queries to one external system with fallback data. The embedded store needs no guard, because it is always
 * available.
 */
export function guardQueries(needs: GuardNeeds): GuardedQueries {
  const { connector, name, clock, timers, log, quarantine, users } = needs;
  // An input was checked against its own row before; the union of all rows cannot express that.
  const own = connector.operations as Readonly<Record<string, AnyOperate | undefined>>;
  const fromMemory = recall({ ...needs, dates: needs.served.dates });
  const late: LateCalls = { count: 0 };
  const turn = () => new Promise<void>((next) => timers.soon(next));
  const troubles = new Map<QueryId, Trouble>();
  const badRecordsOf = (kind: PushTopic): BadRecordLog => ({
    keep: (number, problems, raw) => quarantine.keep({ source: name, kind, number, problems, raw }),
    holds: (number) => quarantine.holds(name, kind, number),
    release: (number) => quarantine.release(name, kind, number),
  });
  const badRecordLogs = { badRecords: badRecordsOf("workOrders"), badItems: badRecordsOf("items") };
  const checking = { ...needs.served, ...badRecordLogs, turn };

  const guarded = (id: QueryId, operate: AnyOperate): AnyOperate => {
    const row = operationRow(id);
    const budget = budgetMs(row, needs.budgets);
    const waitMs = Math.floor(budget * waitShare);
    const minutes = fallbackQueries[id]?.minutes;
    const hasFallback = minutes !== undefined && needs.freshness[minutes] > 0;
    const state = trouble(clock);
    troubles.set(id, state);
    const share = coalesce<AnyOutcome>();

    const miss = (onFirst: () => void) => {
      if (state.since() === null) onFirst();
      state.missed();
    };
    const fields = { connector: name, operation: id };

    const query = async (input: unknown, language: Language): Promise<AnyOutcome> => {
      const at = clock.now();
      let isInTime = true;
      const callOff = timers.after(waitMs, () => {
        isInTime = false;
        miss(() => log.warn(fields, "the external system is too slow; fallback data is used where available"));
      });
      try {
        // A list in parts is collected inside the call, so that no part is requested after the call has ended.
        const whole: AnyOperate = async (given, context) => gatherParts(await operate(given, context), checking);
        const outcome = await liveCall({ operate: whole, input, language, budgetMs: budget, timers, late, users });
        if (!outcome.ok && outcome.result === resultForFault(row, "unreachable")) {
          const operatorText = isReadable(outcome.message) ? outcome.message : say("general.unreachable");
          throw new Fault("unreachable", "the connector reports that it could not reach its system", { operatorText });
        }
        if (isInTime && state.answered())
          log.info({ connector: name, operation: id }, "the external system answers again");
        callOff();
        const checked = await checkServedInTurns(row, outcome, checking);
        const here = id === "findWorkOrderByCode" ? ofThisStorage(checked, input) : checked;
        // The system answered, but its answer is not for this storage: nothing is stored and nothing is removed.
        if (checked.ok && !here.ok) return here;
        const numbers = await orderNumbersIn(id, checked);
        if (numbers.length > 0) await needs.onServed(numbers);
        return await remember({ id, input, outcome: checked, at }, hasFallback ? needs.known : null);
      } catch (error) {
        callOff();
        if (isInTime && isTrouble(error)) {
          miss(() =>
            log.warn(
              { ...fields, err: error },
              "the external system cannot be reached; fallback data is used where available",
            ),
          );
        }
        throw error;
      }
    };

    const live = (input: unknown, language: Language) => {
      const answer = share(`${language} ${lookUpKey(input)}`, () => query(input, language));
      // A waiting caller handles the error; if nobody waits any more, it is already in the log.
      answer.catch(() => {});
      return answer;
    };

    const known = async (input: unknown, language: Language): Promise<AnyOutcome | null> => {
      if (!hasFallback) return null;
      try {
        return await fromMemory(id, input, language);
      } catch (error) {
        log.warn({ connector: name, operation: id, err: error }, "fallback data could not be read");
        return null;
      }
    };

    return async (given, { language }) => {
      const input = scannedInput(id, given);
      if (state.isLasting()) {
        const outcome = await known(input, language);
        if (outcome !== null) {
          if (state.mayProbe()) void live(input, language);
          return outcome;
        }
      }
      const answer = live(input, language);
      let callOff = () => {};
      const tooLate = new Promise<null>((resolve) => {
        callOff = timers.after(waitMs, () => resolve(null));
      });
      try {
        return (await Promise.race([answer, tooLate])) ?? (await known(input, language)) ?? (await answer);
      } catch (error) {
        if (!isTrouble(error)) throw error;
        const outcome = await known(input, language);
        if (outcome === null) throw hasFallback ? withCode(id, input, error) : error;
        return outcome;
      } finally {
        callOff();
      }
    };
  };

  const operations = Object.fromEntries(
    Object.entries(own).map(([id, operate]) => [
      id,
      operate !== undefined && isGuarded(id) ? guarded(id, operate) : operate,
    ]),
    // The names stay the same, and guarded operations have the same input and output as the originals.
  ) as OpenConnector["operations"];

  return {
    operations,
    fallbackState: () =>
      [...troubles].flatMap(([id, state]) => {
        const since = state.since();
        return since === null ? [] : [{ connector: name, capability: fallbackQueries[id]?.capability ?? id, since }];
      }),
  };
}

const isGuarded = (id: string): id is QueryId => operationIds.some((known) => known === id) && id in fallbackQueries;

/** Returns the numbers of the orders in an answer; empty for queries that return no orders. */
async function orderNumbersIn(id: QueryId, outcome: AnyOutcome): Promise<readonly string[]> {
  if (!outcome.ok) return [];
  if (outcome.data instanceof OrderTexts) return outcome.data.orders.map(({ number }) => number);
  if (id !== "findWorkOrderByCode" || outcome.data === null) return [];
  // The answer was checked against the schema of an order, or is ready text made from a checked order.
  const order = (
    outcome.data instanceof ReadyJson ? await parseStored(outcome.data.text) : outcome.data
  ) as WorkOrder | null;
  return order === null ? [] : [order.number];
}

/** Whether the system is down or broken, as opposed to reached and refusing. */
function isTrouble(error: unknown): error is Fault {
  if (!(error instanceof Fault)) return false;
  const { status = 0 } = error.answer;
  return error.kind === "unreachable" || status >= 500 || status === 429;
}

/** Gives the fault of a scan a text that tells the operator that the label is not the problem. */
function withCode(id: QueryId, input: unknown, fault: Fault): Fault {
  if (id !== "findWorkOrderByCode") return fault;
  // The input was checked against the row of its id before.
  const code = shownNumber((input as InputOf<"findWorkOrderByCode">).Code.trim());
  const operatorText = say("fallback.unknown-code", { code });
  return new Fault(fault.kind, fault.message, { operatorText, cause: fault, answer: fault.answer });
}

/** Concurrent calls with the same key share one call and its answer. */
export function coalesce<Answer>(): (key: string, call: () => Promise<Answer>) => Promise<Answer> {
  const underWay = new Map<string, Promise<Answer>>();
  return (key, call) => {
    const known = underWay.get(key);
    if (known !== undefined) return known;
    const begun = call().finally(() => underWay.delete(key));
    underWay.set(key, begun);
    return begun;
  };
}
