import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { Client, type Dispatcher } from "undici";
import type { Envelope } from "../../../contract/envelope.ts";
import { type DataOf, type OperationId, operationRow } from "../../../contract/operations.ts";
import type { Timers } from "../../../kit/time/timers.ts";

export interface Sending {
  readonly method: "GET" | "POST";
  /** Path and query, with the base path. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/** How the bytes are sent; `whole` unless a fault is simulated. */
export type Manner =
  | { readonly kind: "whole" }
  /** Sent completely. Then the platform closes the connection after a while, unless the answer has come. */
  | { readonly kind: "given up"; readonly afterMs: number }
  /** The connection is cut in the middle of the body. */
  | { readonly kind: "cut" }
  /** The second half is sent when `until` settles. */
  | { readonly kind: "halves"; readonly until: Promise<unknown> };

export interface Answered {
  readonly status: number;
  readonly text: string;
}
export interface Unanswered {
  readonly failure: string;
}
export type Reply = Answered | Unanswered;
export const isAnswered = (reply: Reply): reply is Answered => "status" in reply;

/** One persistent connection with one call at a time, as the platform has one per operator. */
export interface Channel {
  readonly send: (sending: Sending, manner?: Manner) => Promise<Reply>;
  /** How often the connection failed other than by a simulated fault. */
  readonly breaks: () => number;
  readonly close: () => Promise<void>;
}

const maxAnswerBytes = 256 * 2 ** 20;
const whole: Manner = { kind: "whole" };

export function openChannel({ origin, timeoutMs }: { readonly origin: string; readonly timeoutMs: number }): Channel {
  const client = new Client(origin, {
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connectTimeout: timeoutMs,
    // Longer than an operator walks: the platform does not open a new connection for every step.
    keepAliveTimeout: 60_000,
    // An endless answer would fill the memory.
    maxResponseSize: maxAnswerBytes,
  });
  let breaks = 0;
  client.on("disconnect", (_, __, error) => {
    // We closed the connection ourselves: normally, by a simulated fault, or after a complete answer. Counting it as a
    // break would excuse an adapter that has lost an event.
    if (!isOfOurOwn(error)) breaks++;
  });
  client.on("connectionError", () => breaks++);
  return {
    breaks: () => breaks,
    send: async ({ method, path, headers, body }, manner = whole) => {
      const sent = {
        method,
        path,
        headers: body === null ? headers : { ...headers, "content-length": String(body.length) },
        body: body === null || isAtOnce(manner) ? body : Readable.from(inHalves(body, manner)),
      };
      return await new Promise<Reply>((resolve) => {
        const answer = collector(resolve);
        client.dispatch(sent, answer.handler);
        if (manner.kind === "given up") answer.giveUpAfter(manner.afterMs);
      });
    },
    close: () => client.destroy(),
  };
}

const isOfOurOwn = ({ code }: NodeJS.ErrnoException): boolean => code === "UND_ERR_INFO";

/** Collects an answer by hand: streams and signals would cost as much as the call itself. */
function collector(resolve: (reply: Reply) => void) {
  const chunks: Buffer[] = [];
  let status = 0;
  let request: Dispatcher.DispatchController | null = null;
  let isGivenUp = false;
  let isOver = false;
  let timer: NodeJS.Timeout | null = null;
  const end = (reply: Reply) => {
    isOver = true;
    if (timer !== null) clearTimeout(timer);
    resolve(reply);
  };
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (controller) => {
      request = controller;
      // The call timed out while it waited for a connection. Sent now, it would arrive as a second event.
      if (isGivenUp) controller.abort(new Error("given up"));
    },
    onResponseStart: (_, statusCode) => {
      status = statusCode;
    },
    onResponseData: (_, chunk) => {
      chunks.push(chunk);
    },
    onResponseEnd: () => {
      const [first] = chunks;
      end({ status, text: (chunks.length === 1 && first ? first : Buffer.concat(chunks)).toString() });
    },
    onResponseError: (_, error) => end({ failure: error.message }),
  };
  const giveUp = () => {
    if (isOver) return;
    isGivenUp = true;
    request?.abort(new Error("given up"));
  };
  const giveUpAfter = (ms: number) => {
    // Sockets are read first: after a stall the answer may be here but unread, and the adapter has written it.
    timer = setTimeout(() => setImmediate(giveUp), ms);
  };
  return { handler, giveUpAfter };
}

const isAtOnce = ({ kind }: Manner): boolean => kind === "whole" || kind === "given up";

async function* inHalves(body: Buffer, manner: Manner): AsyncGenerator<Buffer> {
  const middle = body.length >> 1;
  yield body.subarray(0, middle);
  if (manner.kind === "halves") await manner.until;
  else {
    // The first half must be sent before the connection is cut, or nothing would be cut.
    await pause(1);
    throw new Error("cut");
  }
  yield body.subarray(middle);
}

export interface Answer<Id extends OperationId> {
  readonly ok: boolean;
  /** The name of the result; empty if there is none of the contract's. */
  readonly result: string;
  readonly data: DataOf<Id> | null;
  readonly message: string | null;
}

/** The answer as an envelope of the contract; null if it is not one. */
export function readAnswer<Id extends OperationId>(id: Id, { status, text }: Answered): Answer<Id> | null {
  const row = operationRow(id);
  try {
    // Each member is checked before use; the type of `data` is assumed, as a platform would.
    const envelope = JSON.parse(text) as Partial<Envelope<DataOf<Id>>> | null;
    if (status !== 200 || envelope === null) return null;
    // The status is the only answer without an envelope.
    if (id === "getStatus") return { ok: true, result: "", data: envelope as DataOf<Id>, message: null };
    const result = row.results[envelope.result ?? -1];
    if (result === undefined || envelope.isResultSuccess !== (result === row.success)) return null;
    const { isResultSuccess, data = null, externalMessage = null } = envelope;
    return { ok: isResultSuccess, result, data, message: externalMessage };
  } catch {
    return null;
  }
}

/** Limits the number of calls per second; without a limit calls pass at once. */
export function openPace({
  perSecond,
  timers,
  now,
}: {
  readonly perSecond: number | null;
  readonly timers: Timers;
  readonly now: () => number;
}): () => Promise<void> {
  if (perSecond === null) return async () => {};
  const gapMs = 1000 / perSecond;
  let nextAt = 0;
  return () => {
    const at = Math.max(now(), nextAt);
    nextAt = at + gapMs;
    const waitMs = at - now();
    return waitMs < 1 ? Promise.resolve() : new Promise((resolve) => timers.after(waitMs, resolve));
  };
}
