import {
  type EventId,
  type OfferedId,
  type OperationId,
  operationIds,
  operationRow,
  type QueryId,
} from "../contract/operations.ts";
import type { UserCount } from "../kit/current-snapshot.ts";
import type { Log } from "../kit/log.ts";
import type { Clock } from "../kit/time/clock.ts";
import { type SteadyTime, steadyTime } from "../kit/time/timers.ts";
import type { Tracing } from "../kit/tracing/tracing.ts";
import type { Language } from "../messages/languages.ts";
import { type AnyOutcome, type Fact, isReadyText } from "../operation/outcome.ts";
import type { Operate } from "../sdk/connector.ts";
import type { DeliveriesUnderWay, EventAnswer, EventNeeds, Given, IncomingEvent } from "./events/deliver-now.ts";
import { type AnswerNotes, createAnswerNotes, createEventHandler, noteArrived } from "./events/take-event.ts";
import type { ForwardModes } from "./forward/forwarded.ts";
import { type Accept, createAccept } from "./intake/accept.ts";
import { type Budgets, budgetMs, call, notOffered, settleFault } from "./queries/call.ts";
import { checkServed, gatherParts, ofThisStorage, type ServedSettings } from "./queries/check-served.ts";
import type { Routing } from "./queries/routing.ts";

export interface EngineNeeds {
  readonly routing: Routing;
  /** Absent in the thread for large bodies, which answers queries only. */
  readonly writing?: Pick<
    EventNeeds,
    "journal" | "outbox" | "repeatWindowMs" | "newToken" | "isDiskFull" | "timers" | "maskSecrets"
  > & {
    /** Which pushes are forwarded to the platform's own interface; absent: none. */
    readonly forwardModes?: ForwardModes;
    /** Shared by the engines of all snapshots, as the next one; absent: there is only this engine. */
    readonly underWay?: DeliveriesUnderWay;
    readonly steadyTime?: SteadyTime;
  };
  readonly clock: Clock;
  readonly log: Log;
  readonly budgets: Budgets;
  readonly served: ServedSettings;
  readonly newEntryId: () => string;
  readonly newReference: () => string;
  /** Called after a commit that changed data that readers may have cached. */
  readonly onTouched: () => void;
  /** Users of the snapshot this engine belongs to: each call of a connector counts until it has really ended. */
  readonly users?: UserCount;
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing | undefined;
}

export interface Engine extends Omit<Accept, "append"> {
  readonly query: (id: QueryId, input: unknown, language: Language) => AnyOutcome | Promise<AnyOutcome>;
  readonly event: (id: EventId, incoming: IncomingEvent) => Promise<EventAnswer>;
  /** Records whether the answer to an event arrived. */
  readonly notesOn: (given: Given) => AnswerNotes;
  /** Called when another process, which passed the answers on, reports that the answers to these entries arrived. */
  readonly noteArrived: (seqs: readonly number[]) => void;
  /** Stores facts that came with an answer, before the answer is sent. */
  readonly record: (facts: readonly Fact[]) => Promise<void>;
}

/** Creates the one handler for all operations, whichever connector serves them. */
export function createEngine(needs: EngineNeeds): Engine {
  const { routing, clock, budgets, users } = needs;
  const writing =
    needs.writing === undefined
      ? undefined
      : { steadyTime: steadyTime({ clock, timers: needs.writing.timers }), underWay: new Map(), ...needs.writing };

  const pushes = writing === undefined ? null : createAccept({ ...needs, ...writing });

  const query = (id: QueryId, input: unknown, language: Language): AnyOutcome | Promise<AnyOutcome> => {
    const row = operationRow(id);
    const operate = operates.get(id);
    if (operate === undefined) return notOffered(row);
    const check = (outcome: AnyOutcome) => {
      // A ready text comes from the embedded store, which checked the orders when they arrived and checks their storage
      // itself.
      if (outcome.ok && isReadyText(outcome.data)) return outcome;
      const served = checkServed(row, outcome, needs.served);
      return id === "findWorkOrderByCode" ? ofThisStorage(served, input) : served;
    };
    try {
      const outcome = call({
        operate,
        input,
        language,
        deadlineMs: budgetMs(row, budgets),
        users,
      });
      if (!(outcome instanceof Promise)) return check(outcome);
      return outcome.then(check).catch((error: unknown) => settleFault(row, error, needs));
    } catch (error) {
      return settleFault(row, error, needs);
    }
  };

  /** Collects a list that comes in parts into a whole; everything else is returned unchanged, synchronous or not. */
  function whole(operate: Operate<OfferedId>): Operate<OfferedId> {
    const gather = (outcome: AnyOutcome) => gatherParts(outcome, { ...needs.served, turn: nextTurn });
    const gathered = (...call: Parameters<typeof operate>): AnyOutcome | Promise<AnyOutcome> => {
      const answer: AnyOutcome | Promise<AnyOutcome> = operate(...call);
      return answer instanceof Promise ? answer.then(gather) : gather(answer);
    };
    // `gathered` returns the operation's result in another form.
    return gathered as Operate<OfferedId>;
  }

  /** Looked up once: the engine belongs to one snapshot, in which no route changes. */
  const operates = new Map<QueryId, Operate<OfferedId>>();
  for (const id of operationIds.filter(isQuery)) {
    const operate = routing.query(id);
    if (operate !== undefined) operates.set(id, isListOfOrders(id) ? whole(operate) : operate);
  }

  return {
    query,
    event: writing === undefined ? neverStored : createEventHandler({ ...needs, ...writing }),
    notesOn: writing === undefined ? neverGiven : createAnswerNotes(writing.journal, clock),
    noteArrived: writing === undefined ? neverGiven : (seqs) => noteArrived(writing.journal, clock, seqs),
    record: async (facts) => {
      if (pushes === null) throw onlyQueries();
      await pushes.append(
        facts.map(({ topic, lane, payload }) => ({
          direction: "in",
          topic,
          lanes: lane === "" ? [] : [lane],
          body: JSON.stringify(payload),
          payload: null,
          acceptLanguage: null,
        })),
      );
    },
    accept: pushes?.accept ?? neverStored,
    acceptIdempotent: pushes?.acceptIdempotent ?? neverStored,
    acceptStaged: pushes?.acceptStaged ?? neverStored,
    recall: pushes?.recall ?? (() => null),
  };
}

const isQuery = (id: OperationId): id is QueryId => operationRow(id).kind === "query";
const isListOfOrders = (id: QueryId) => id === "listWorkOrders" || id === "findPutWallOrders";

const nextTurn = () => new Promise<void>((next) => setImmediate(next));

const onlyQueries = () => new Error("nothing can be stored here: this engine only answers queries");
const neverGiven = () => {
  throw onlyQueries();
};
const neverStored = () => Promise.reject(onlyQueries());
