import { leakIn } from "../checks/leak-in.ts";
import { isUnderWay, readSuccess } from "../checks/read-success.ts";
import type { RandomSource } from "../random-source.ts";
import { pause } from "../wait.ts";
import { type FloorEvent, floorEvent, isPush, type Mix, mayHappenAgain } from "./floor-event.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import { type Answer, type Line, openLine } from "./line.ts";

export interface FloorSettings {
  /** Begins every order number, so that runs do not meet. */
  readonly name: string;
  readonly connections: number;
  /** Orders that one operator works on at the same time, one event of each in turn. */
  readonly ordersPerOperator?: number;
  readonly eventsPerOrder: number;
  readonly mix: Mix;
  /** How long an operator waits before the same bytes are sent again, by how often they were; absent: as long as it takes. */
  readonly timeoutMs?: (sent: number) => number;
  /** Share of answered events that are sent once more, with the very same bytes; for placements and pushes only. */
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
  /** Settles as soon as so many are acknowledged, or when the time is over. */
  readonly untilAcknowledged: (count: number, withinMs: number) => Promise<void>;
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
  /** Looked through for leaks already: nearly all answers are the same. */
  const known = new Set<string>();
  let wish: { readonly count: number; readonly come: () => void } | null = null;

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
    lookForLeaks(answer);
    if (success === true) acknowledged++;
    else failed++;
    if (wish !== null && acknowledged >= wish.count) wish.come();
    sending.outcome = success === true ? "success" : "failure";
    if (success === true) {
      sending.answered++;
      sending.happened = mayHappenAgain(mix) ? sending.answered : 1;
    }
    const again = success === true && mayRepeat && repeats?.random.chance(repeats.share) === true;
    // The very same bytes: a piece of its own, which happens once more, or a push that the service knows already.
    operator.pending = again ? event : null;
  };

  const lookForLeaks = ({ head, body }: Answer) => {
    if (known.has(body)) return;
    if (known.size < mostKnown) known.add(body);
    const leak = leakIn(`${head}\n${body}`);
    if (leak !== null) ledger.leaks.push(leak);
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
          // Not as the last thing on a line: whoever hangs up at once and sends the same again looks like a retry.
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
        const come = () => {
          wish = null;
          clearTimeout(timer);
          resolve();
        };
        const timer = setTimeout(come, withinMs);
        wish = { count, come };
        if (acknowledged >= count) come();
      }),
    takeLatencies: () => {
      const taken = latencies;
      latencies = [];
      return taken;
    },
  };
}

const mostKnown = 1000;
/** Before it is sent again; the answer asks for a second, which no impatient sender would wait. */
const underWayMs = 20;
