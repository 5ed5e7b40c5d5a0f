import type { Readable } from "node:stream";
import { errorCodes, type FastifyRequest } from "fastify";
import { operationRow, type QueryId } from "../../contract/operations.ts";
import type { Fact } from "../../operation/outcome.ts";
import { snapshotOf } from "../server-snapshot.ts";
import { type BodyBudget, whenAnswered } from "./body-budget.ts";

type Done = (error: Error | null, body?: Uint8Array | BulkArrival) => void;

/**
 * Reads the body of a route that may be sent a large one. A small body is given as its bytes; a large one goes
 * down the road for large bodies chunk by chunk, so that work on it begins before its end is here.
 */
export function bulkParser(id: QueryId, budget: BodyBudget) {
  return (request: FastifyRequest, payload: Readable, done: Done) => {
    const { "content-length": announced, "accept-language": acceptLanguage } = request.headers;
    const limitBytes = request.routeOptions.bodyLimit ?? 0;
    const { bulk } = snapshotOf(request.raw);
    // The route is only there where large bodies leave this thread.
    if (bulk === null) return done(new Error("there is no handler for large bodies"));
    if (Number(announced) > limitBytes) return done(tooLarge());
    const aboveBytes = operationRow(id).bulkAboveBytes ?? bulkBytes;
    let small: Uint8Array[] = [];
    let receivedBytes = 0;
    let arrival: BulkArrival | null = null;
    let isDropped = false;
    const share = budget.open(() => payload.destroy());
    whenAnswered(request.raw, share.giveBack);

    const onData = (chunk: Uint8Array) => {
      receivedBytes += chunk.length;
      if (receivedBytes > limitBytes) return fail(tooLarge());
      // Without room for it the rest is read and forgotten, and the answer says why.
      if (!isDropped && !share.take(chunk.length)) drop();
      if (isDropped) return;
      if (arrival !== null) return arrival.take(chunk);
      small.push(chunk);
      if (receivedBytes <= aboveBytes || bulk.takes?.(id) === false) return;
      arrival = bulk.receive(id, acceptLanguage);
      for (const early of small) arrival.take(early);
      small = [];
    };
    const drop = () => {
      isDropped = true;
      arrival ??= bulk.receive(id, acceptLanguage);
      arrival.drop();
      small = [];
      share.giveBack();
    };
    const onEnd = () => {
      stop();
      done(null, arrival ?? Buffer.concat(small, receivedBytes));
    };
    const fail = (error: Error) => {
      stop();
      // Without this, what a sender that hung up has sent would keep its place in the other thread.
      arrival?.drop();
      share.giveBack();
      payload.resume();
      done(error);
    };
    const onError = (error: Error) => fail(Object.assign(error, { statusCode: 400 }));
    // One that is destroyed here, by the guard against slow senders for instance, ends without an error.
    const onClose = () => onError(new Error("the body has not come to its end"));
    const stop = () => payload.off("data", onData).off("end", onEnd).off("error", onError).off("close", onClose);
    payload.on("data", onData).on("end", onEnd).on("error", onError).on("close", onClose);
  };
}

/** The library's own, as for every other route. */
const tooLarge = () => new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();

/** Bodies above this leave the main thread: parsing them would stall every other request. */
export const bulkBytes = 128 * 1024;

export interface BulkAnswer {
  readonly status: number;
  readonly contentType: string;
  /** As they come: the first are on their way out while the last are still computed. */
  readonly chunks: Iterable<string | Uint8Array> | AsyncIterable<Uint8Array>;
  readonly facts: readonly Fact[];
  readonly result?: string;
}

/** A large body on its way in: what has arrived may be worked on while the rest still travels. */
export interface BulkArrival {
  readonly take: (chunk: Uint8Array) => void;
  /** Answers, now that all of it is here. */
  readonly query: () => Promise<BulkAnswer>;
  /** The rest will not come; nothing of it is needed any more. */
  readonly drop: () => void;
}

/** The same road, in another thread. */
export interface BulkHandler {
  /** Whether this question is answered there at all; absent: all are. */
  readonly takes?: (id: QueryId) => boolean;
  readonly receive: (id: QueryId, acceptLanguage: string | undefined) => BulkArrival;
  readonly close: () => Promise<void>;
}
