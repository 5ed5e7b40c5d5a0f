import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "undici";

export interface Sending {
  readonly method: "GET" | "POST";
  /** Path and query, with the base path. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/** How the bytes go out; `whole` unless a fault is played. */
export type Manner =
  | { readonly kind: "whole" }
  /** Sent completely, then the platform hangs up after a while, unless the answer came before. */
  | { readonly kind: "given up"; readonly afterMs: number }
  /** The connection is cut in the middle of the body. */
  | { readonly kind: "cut" }
  /** The second half follows when this is done. */
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

/** One connection that is kept, one call at a time, as the platform has one for each operator. */
export interface Channel {
  readonly send: (sending: Sending, manner?: Manner) => Promise<Reply>;
  /** How often the connection broke, or could not be made, other than by a fault that was played. */
  readonly breaks: () => number;
  readonly close: () => Promise<void>;
}

const whole: Manner = { kind: "whole" };

export function openChannel({ origin, timeoutMs }: { readonly origin: string; readonly timeoutMs: number }): Channel {
  const client = new Client(origin, {
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connectTimeout: timeoutMs,
    // Longer than an operator walks; a new connection for every step would be another floor than the one to be played.
    keepAliveTimeout: 60_000,
  });
  let breaks = 0;
  let isOwnBreak = false;
  client.on("disconnect", () => {
    if (!isOwnBreak) breaks++;
    isOwnBreak = false;
  });
  client.on("connectionError", () => breaks++);
  return {
    breaks: () => breaks,
    send: async ({ method, path, headers, body }, manner = whole) => {
      isOwnBreak = manner.kind === "cut" || manner.kind === "given up";
      // Only where it is needed: a signal costs as much as the rest of a call.
      const ending = manner.kind === "given up" ? new AbortController() : null;
      const timer =
        manner.kind === "given up" ? setTimeout(() => ending?.abort(new Error("given up")), manner.afterMs) : null;
      try {
        const answer = await client.request({
          method,
          path,
          headers: body === null ? headers : { ...headers, "content-length": String(body.length) },
          body: body === null || isAtOnce(manner) ? body : Readable.from(inHalves(body, manner)),
          ...(ending === null ? {} : { signal: ending.signal }),
        });
        return { status: answer.statusCode, text: await answer.body.text() };
      } catch (error) {
        return { failure: error instanceof Error ? error.message : String(error) };
      } finally {
        if (timer !== null) clearTimeout(timer);
      }
    },
    close: () => client.destroy(),
  };
}

const isAtOnce = ({ kind }: Manner): boolean => kind === "whole" || kind === "given up";

async function* inHalves(body: Buffer, manner: Manner): AsyncGenerator<Buffer> {
  const middle = body.length >> 1;
  yield body.subarray(0, middle);
  if (manner.kind === "halves") await manner.until;
  else {
    // The first half has to leave before the connection goes, or nothing would be cut.
    await pause(1);
    throw new Error("cut");
  }
  yield body.subarray(middle);
}
