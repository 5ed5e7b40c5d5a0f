import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { errorCodes, type FastifyRequest } from "fastify";
import { operationRow, type QueryId } from "../../contract/operations.ts";
import type { Fact } from "../../operation/outcome.ts";
import { type BodyBudget, whenAnswered } from "./body-budget.ts";
import { dropRest, release } from "./body-parser.ts";

type Done = (error: Error | null, body?: Uint8Array | BulkArrival) => void;

/**
 * Reads the body of a route that accepts large ones. A small body is returned as bytes; a large one goes to the
 * handler for large bodies chunk by chunk, so that work on it begins before it is complete.
 */
export function bulkParser(
  id: QueryId,
  budget: BodyBudget,
  handlerOf: (request: IncomingMessage) => BulkHandler | null,
) {
  return (request: FastifyRequest, payload: Readable, done: Done) => {
    const { "content-length": announced, "accept-language": acceptLanguage } = request.headers;
    const limitBytes = request.routeOptions.bodyLimit ?? 0;
    const bulk = handlerOf(request.raw);
    // This route exists only if large bodies leave this thread.
    if (bulk === null) return done(new Error("there is no handler for large bodies"));
    if (Number(announced) > limitBytes) {
      dropRest(payload);
      return done(tooLarge());
    }
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
      // If there is no room, the rest is read and dropped, and the answer says why.
      if (!isDropped && !share.take(chunk.length)) drop();
      if (isDropped) return release(chunk);
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
      // Without this, the data of a sender that hung up would stay in the other thread.
      arrival?.drop();
      share.giveBack();
      dropRest(payload);
      done(error);
    };
    const onError = (error: Error) => fail(Object.assign(error, { statusCode: 400 }));
    // A request that is destroyed on this side, for example by the guard against slow senders, ends without an error.
    const onClose = () => onError(new Error("the body is incomplete"));
    const stop = () => payload.off("data", onData).off("end", onEnd).off("error", onError).off("close", onClose);
    payload.on("data", onData).on("end", onEnd).on("error", onError).on("close", onClose);
  };
}

/** The library's own error, as on every other route. */
const tooLarge = () => new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();

/** Larger bodies leave the main thread: parsing them would stall every other request. */
export const bulkBytes = 128 * 1024;

export interface BulkAnswer {
  readonly status: number;
  readonly contentType: string;
  /** Produced step by step: the first chunks are sent while the last ones are still computed. */
  readonly chunks: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
  readonly facts: readonly Fact[];
  readonly result?: string;
}

/** A large incoming body: the part that has arrived may be processed before the rest. */
export interface BulkArrival {
  readonly take: (chunk: Uint8Array) => void;
  /** Called when the whole body has arrived. Returns the answer. */
  readonly query: () => Promise<BulkAnswer>;
  /** Called if the rest will not arrive: everything can be dropped. */
  readonly drop: () => void;
}

/** The contract's handler for large bodies, in another thread. */
export interface BulkHandler {
  /** Whether the other thread answers this query. Absent: it answers all. */
  readonly takes?: (id: QueryId) => boolean;
  readonly receive: (id: QueryId, acceptLanguage: string | undefined) => BulkArrival;
  readonly close: () => Promise<void>;
}
