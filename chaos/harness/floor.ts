import { type FloorEvent, floorEvent, type Mix } from "./floor-event.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import { type Answer, type Line, openLine } from "./line.ts";
import type { RandomSource } from "./random-source.ts";
import { pause } from "./wait.ts";

export interface FloorSettings {
  /** Begins every order number, so that runs do not meet. */
  readonly name: string;
  readonly connections: number;
  /** Orders that one operator works on at the same time, one event of each in turn. */
  readonly ordersPerOperator?: number;
  readonly eventsPerOrder: number;
  readonly mix: Mix;
  /** How long an operator waits before the same bytes are sent again; absent: as long as it takes. */
  readonly timeoutMs?: () => number;
  /** Share of answered events that happen once more, with the very same bytes; for placements only. */
  readonly repeats?: { readonly share: number; readonly random: RandomSource };
  /** Pause before each event of an operator. */
  readonly paceMs?: number;
}

export interface Shift {
  /** Ends after the events under way, without waiting for answers that do not come. */
  readonly stop: (options?: { readonly hangUp?: boolean }) => Promise<void>;
  /** When all operators have nothing left to do, or lost their line. */
  readonly done: Promise<void>;
}

/** The platform's floor: operators who send events, remember every answer, and send again what was not answered. */
export interface Floor {
  readonly ledger: Ledger;
  readonly acknowledged: () => number;
  readonly failed: () => number;
  /** How long each answered event took, since the last call of takeLatencies. */
  readonly takeLatencies: () => number[];
  /** Goes on where the last shift ended; with a limit, each operator answers for that many events at most. */
  readonly work: (url: string, options?: { readonly events?: number; readonly onlyPending?: boolean }) => Shift;
}

interface Operator {
  readonly index: number;
  turn: number;
  /** Sent but not answered: to be sent again before anything else. */
  pending: FloorEvent | null;
}

export function openFloor(settings: FloorSettings): Floor {
  const { name, connections, ordersPerOperator = 3, eventsPerOrder, mix, timeoutMs, repeats } = settings;
  const ledger = openLedger();
  const operators = Array.from({ length: connections }, (_, index): Operator => ({ index, turn: 0, pending: null }));
  let acknowledged = 0;
  let failed = 0;
  let latencies: number[] = [];

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
    if (success === true) acknowledged++;
    else failed++;
    sending.outcome = success === true ? "success" : "failure";
    if (success === true) sending.happened++;
    const again = success === true && mayRepeat && repeats?.random.chance(repeats.share) === true;
    // The very same bytes, but a piece of its own: it happens once more.
    operator.pending = again ? event : null;
  };

  const work: Floor["work"] = (url, options = {}) => {
    let stopped = false;
    const lines = new Set<Line>();
    const serve = async (operator: Operator) => {
      // Said again for the compiler, which takes it for null throughout.
      let line = null as Line | null;
      for (let events = options.events ?? Number.POSITIVE_INFINITY; events > 0 && !stopped; ) {
        if (options.onlyPending === true && operator.pending === null) break;
        if (line === null || !line.isOpen()) line = await openLine(url);
        // Nobody listens any more; the next shift goes on with the same event.
        if (line === null) break;
        lines.add(line);
        if (settings.paceMs !== undefined) await pause(settings.paceMs);
        const event = operator.pending ?? nextEvent(operator);
        operator.pending = event;
        ledger.sendingOf(event.order, event.counter).sent++;
        const sentAt = performance.now();
        const answer = await line.send(event.request, timeoutMs?.());
        if (answer !== null) {
          latencies.push(performance.now() - sentAt);
          events--;
          // Not as the last thing on a line: whoever hangs up at once and sends the same again looks like a retry.
          settle(operator, event, answer, events > 0);
        } else lines.delete(line);
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
    takeLatencies: () => {
      const taken = latencies;
      latencies = [];
      return taken;
    },
  };
}

const successStart = '{"isResultSuccess":true,';

/** Null for what is no answer of the contract. */
function readSuccess({ status, body }: Answer): boolean | null {
  if (status !== 200) return null;
  // By far the most, and parsing each would cost more than sending it.
  if (body.startsWith(successStart)) return true;
  try {
    const { isResultSuccess } = JSON.parse(body) as { isResultSuccess?: unknown };
    return typeof isResultSuccess === "boolean" ? isResultSuccess : null;
  } catch {
    return null;
  }
}
