import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { type Answer, type BodyReader, bodyReader, NotHttp, plainHeaders } from "../answers/read-body.ts";
import type { Connection, ConnectionPool, Timeouts } from "./connection-pool.ts";

export interface Exchange {
  readonly method: string;
  readonly url: URL;
  readonly pool: ConnectionPool;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly timeouts: Timeouts;
  readonly signal: AbortSignal;
  /** Longer answers are cut, counted after decompression. */
  readonly maxAnswerBytes: number;
  /** Whether compressed answers are accepted; otherwise they count as unread. */
  readonly decodes: boolean;
  /** Whether sending the request twice changes nothing; absent: decided by the method. */
  readonly isRepeatable?: boolean | undefined;
}

class TimedOut extends Error {
  constructor(what: string, afterMs: number) {
    super(`${what} within ${afterMs} ms`);
    this.name = "TimedOut";
  }
}

/**
 * Sends one request and returns its answer, whatever the status. Every other end is an error, and the socket is closed
 * by then.
 */
export async function exchange(given: Exchange): Promise<Answer> {
  try {
    return await attempt(given);
  } catch (error) {
    // The receiver closed an idle connection just as it was reused. It may have received the request anyway, so only
    // requests that may be executed twice are sent again here. Callers repeat the others, and can check first.
    if (error instanceof StaleConnection && !given.signal.aborted && isRepeatable(given)) return attempt(given);
    throw error;
  }
}

/** The methods that RFC 9110, 9.2.2 calls idempotent. */
const idempotentMethods: readonly string[] = ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"];

const isRepeatable = ({ method, isRepeatable: given }: Exchange): boolean =>
  given ?? idempotentMethods.includes(method);

class StaleConnection extends Error {}

function attempt(given: Exchange): Promise<Answer> {
  const { method, url, pool, headers, body, timeouts, signal } = given;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let connection: Connection | undefined;
    let reader: BodyReader | null = null;
    let isReused = false;
    let isOver = false;

    const timer = (what: string, afterMs: number) => setTimeout(() => fail(new TimedOut(what, afterMs)), afterMs);
    const connecting = timer("no connection", timeouts.connectMs);
    const waiting = timer("no answer", timeouts.headersMs);
    const reading = timer("no complete answer", timeouts.totalMs);
    const onAbort = () => fail(new Error("the request was aborted"));
    const end = () => {
      isOver = true;
      for (const one of [connecting, waiting, reading]) clearTimeout(one);
      signal.removeEventListener("abort", onAbort);
      reader?.discard();
    };
    const fail = (error: Error) => {
      if (isOver) return;
      end();
      reject(error);
      // Closes the socket, whatever the receiver still sends, and even if it is not connected yet.
      if (controller !== null) controller.abort(error);
      else pool.connectionOf(handler)?.socket()?.destroy(error);
    };
    const finish = (answer: Answer) => {
      if (isOver) return;
      end();
      resolve(answer);
      if (answer.unread !== null) controller?.abort(new Error("the rest of the answer is not read"));
    };

    const handler = {
      onRequestStart: (started: Dispatcher.DispatchController) => {
        controller = started;
        if (isOver) {
          started.abort(new Error("the caller no longer waits for the answer"));
          return;
        }
        clearTimeout(connecting);
        connection = pool.connectionOf(handler);
        isReused = (connection?.countRequest() ?? 0) > 1;
      },
      onResponseStart: (started: Dispatcher.DispatchController, status: number, sent: IncomingHttpHeaders) => {
        // 102 and 103 are interim answers, not the final one.
        if (isOver || status < 200) return;
        clearTimeout(waiting);
        const flow = { pause: () => started.pause(), resume: () => started.resume() };
        reader = bodyReader({ ...given, status, headers: plainHeaders(sent), finish, fail, ...flow });
      },
      onResponseData: (_controller: Dispatcher.DispatchController, chunk: Buffer) => reader?.write(chunk),
      onResponseEnd: () => {
        connection?.answered();
        const socket = connection?.socket() ?? null;
        // Without a length, the end of the connection ends the body. A broken connection does not.
        if (socket?.errored) fail(socket.errored);
        reader?.end();
        // The receiver answered before the request was sent completely. The rest would precede the next request, so the
        // connection is closed.
        if (socket !== null && socket.writableLength > 0) socket.destroy();
      },
      onResponseError: (_controller: Dispatcher.DispatchController, error: Error) => {
        const socket = connection?.socket() ?? null;
        // An answer that ends in the middle is a broken connection, even if the parser reports it.
        const isCut = socket?.readableEnded === true;
        // undici reports a proxy's refusal as an error too, although its connection is fine.
        const isStale = isReused && reader === null && socket?.destroyed === true;
        if (isProtocolError(error) && !isCut) fail(new NotHttp(error.message, { cause: error }));
        else fail(isStale ? new StaleConnection("the connection was already closed", { cause: error }) : error);
      },
    } satisfies Dispatcher.DispatchHandler;

    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener("abort", onAbort, { once: true });
    const path = url.pathname + url.search;
    pool.dispatch({ origin: url.origin, method, path, headers, body }, handler);
  });
}

/** Whether undici cannot parse the response: a retry would fail in the same way. */
const isProtocolError = (error: Error): boolean =>
  error.name === "HTTPParserError" || ("code" in error && error.code === "UND_ERR_HEADERS_OVERFLOW");
