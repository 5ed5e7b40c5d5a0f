import { leakIn } from "../checks/leak-in.ts";
import { isUnderWay, readSuccess } from "../checks/read-success.ts";
import type { RandomSource } from "../random-source.ts";
import { pause } from "../wait.ts";
import { type FloorEvent, floorEvent, isPush, type Mix, mayHappenAgain } from "./floor-event.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import { type Answer, type Line, openLine } from "./line.ts";

export interface FloorSettings {
  /** Prefix of every order number, so that runs do not share numbers. */
  readonly name: string;
  readonly connections: number;
  /** Number of orders that one operator works on at the same time, one event of each in turn. */
  readonly ordersPerOperator?: number;
  readonly eventsPerOrder: number;
  readonly mix: Mix;
  /**
   * How long an operator waits for an answer before sending the same bytes again, by number of attempts. Absent:
   * without limit.
   */
  readonly timeoutMs?: (sent: number) => number;
  /**
   * The share of answered events that are sent once more, with exactly the same bytes. Only for placements and pushes.
   */
  readonly repeats?: { readonly share: number; readonly random: RandomSource };
  /** Pause before each event of an operator. */
  readonly paceMs?: number;
}

export interface Shift {
  /** Ends the shift after the current events, without waiting for missing answers. */
  readonly stop: (options?: { readonly hangUp?: boolean }) => Promise<void>;
  /** Settles when all operators are done or have lost their connection. */
  readonly done: Promise<void>;
}

/** The platform's floor: operators who send events, record every answer, and send unanswered events again. */
export interface Floor {
  readonly ledger: Ledger;
  readonly acknowledged: () => number;
  readonly failed: () => number;
  /** Settles when this many events are acknowledged, or when the time is over. */
  readonly untilAcknowledged: (count: number, withinMs: number) => Promise<void>;
  /** Returns the duration of each answered event since the previous call. */
  readonly takeLatencies: () => number[];
  /** Continues where the last shift ended. With a limit, each operator sends at most that many events. */
  readonly work: (url: string, options?: { readonly events?: number; readonly onlyPending?: boolean }) => Shift;
}

interface Operator {
  readonly index: number;
  turn: number;
  /** The event that was sent but not answered. It must be sent again before anything else. */
  pending: FloorEvent | null;
}

export function openFloor(settings: FloorSettings): Floor {
  const { name, connections, ordersPerOperator = 3, eventsPerOrder, mix, timeoutMs, repeats } = settings;
  const ledger = openLedger();
  const operators = Array.from({ length: connections }, (_, index): Operator => ({ index, turn: 0, pending: null }));
  let acknowledged = 0;
  let failed = 0;
  let latencies: number[] = [];
  /** Answers that were already searched for leaks. Nearly all answers are the same. */
  const known = new Set<string>();
  let awaited: { readonly count: number; readonly reached: () => void } | null = null;

  const nextEvent = (operator: Operator): FloorEvent => {
    const { index, turn } = operator;
    operator.turn++;
    const round = Math.floor(turn / (ordersPerOperator * eventsPerOrder));
    const order = `${name}-${index}-${round * ordersPerOperator + (turn % ordersPerOperator)}`;
    return floorEvent(order, Math.floor(turn / ordersPerOperator) % eventsPerOrder, mix);
  };

  const settle = (operator: Operator, event: FloorEvent, answer: Answer, mayRepeat: boolean) => {
    const sending = ledger.sendingOf(event.order, event.counter);
    const success = readSuccess(answer);
    if (success === null) ledger.oddAnswers.push(`${answer.status} ${answer.body.slice(0, 200)}`);
    checkForLeaks(answer);
    if (success === true) acknowledged++;
    else failed++;
    if (awaited !== null && acknowledged >= awaited.count) awaited.reached();
    sending.outcome = success === true ? "success" : "failure";
    if (success === true) {
      sending.answered++;
      sending.happened = mayHappenAgain(mix) ? sending.answered : 1;
    }
    const again = success === true && mayRepeat && repeats?.random.chance(repeats.share) === true;
    // Sends identical bytes once more: a further piece, which counts as a new event, or a push that the service already
    // knows.
    operator.pending = again ? event : null;
  };

  const checkForLeaks = ({ head, body }: Answer) => {
    if (known.has(body)) return;
    if (known.size < mostKnown) known.add(body);
    const leak = leakIn(`${head}\n${body}`);
    if (leak !== null) ledger.leaks.push(leak);
  };

  const work: Floor["work"] = (url, options = {}) => {
    let stopped = false;
    const lines = new Set<Line>();
    const serve = async (operator: Operator) => {
      // The wider type is needed because the compiler infers null.
      let line = null as Line | null;
      for (let events = options.events ?? Number.POSITIVE_INFINITY; events > 0 && !stopped; ) {
        if (options.onlyPending === true && operator.pending === null) break;
        if (line === null || !line.isOpen()) line = await openLine(url);
        // No service listens. The next shift continues with the same event.
        if (line === null) break;
        lines.add(line);
        if (settings.paceMs !== undefined) await pause(settings.paceMs);
        const event = operator.pending ?? nextEvent(operator);
        operator.pending = event;
        const sending = ledger.sendingOf(event.order, event.counter);
        sending.sent++;
        const from = Date.now();
        const sentAt = performance.now();
        const answer = await line.send(event.request, timeoutMs?.(sending.sent));
        if (answer !== null && isPush(mix) && sending.unanswered.length > 0 && isUnderWay(answer)) {
          await pause(underWayMs);
        } else if (answer !== null) {
          latencies.push(performance.now() - sentAt);
          events--;
          // Not for the last request on a connection: hanging up and sending the same again would look like a retry.
          settle(operator, event, answer, events > 0);
        } else {
          sending.unanswered.push({ from, to: Date.now() });
          lines.delete(line);
        }
      }
      line?.close();
    };
    const done = Promise.all(operators.map(serve)).then(() => {});
    return {
      done,
      stop: async ({ hangUp = false } = {}) => {
        stopped = true;
        if (hangUp) for (const line of lines) line.close();
        await done;
      },
    };
  };

  return {
    ledger,
    work,
    acknowledged: () => acknowledged,
    failed: () => failed,
    untilAcknowledged: (count, withinMs) =>
      new Promise((resolve) => {
        const reached = () => {
          awaited = null;
          clearTimeout(timer);
          resolve();
        };
        const timer = setTimeout(reached, withinMs);
        awaited = { count, reached };
        if (acknowledged >= count) reached();
      }),
    takeLatencies: () => {
      const taken = latencies;
      latencies = [];
      return taken;
    },
  };
}

const mostKnown = 1000;
/**
 * The pause before the event is sent again. The answer asks for one second, but an impatient sender does not wait that
 * long.
 */
const underWayMs = 20;
