import { type Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { type Answer, readBody } from "./read-body.ts";
import type { Timeouts } from "./timeouts.ts";

export interface Exchange {
  readonly method: string;
  readonly url: URL;
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly timeouts: Timeouts;
  readonly signal: AbortSignal;
  /** Longer answers are cut, counted after decompression. */
  readonly maxAnswerBytes: number;
  /** Whether compressed answers are taken; else they count as unread. */
  readonly decodes: boolean;
}

class TimedOut extends Error {
  constructor(what: string, afterMs: number) {
    super(`${what} within ${afterMs} ms`);
    this.name = "TimedOut";
  }
}

/** One request and its answer, whatever the status. Every other end is an error, and its socket is gone by then. */
export async function exchange(given: Exchange): Promise<Answer> {
  try {
    return await attempt(given);
  } catch (error) {
    // The receiver closed an idle connection just as it was taken up again. Should it have seen the request all the
    // same, it sees it again under the same id.
    if (error instanceof StaleConnection && !given.signal.aborted) return attempt(given);
    throw error;
  }
}

class StaleConnection extends Error {}

function attempt(given: Exchange): Promise<Answer> {
  const { method, url, agent, headers, body, timeouts, signal } = given;
  return new Promise((resolve, reject) => {
    const request: ClientRequest = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
      method,
      headers,
      agent,
    });
    const timer = (what: string, afterMs: number) => setTimeout(() => fail(new TimedOut(what, afterMs)), afterMs);
    const connecting = timer("no connection", timeouts.connectMs);
    const waiting = timer("no answer", timeouts.headersMs);
    const reading = timer("no complete answer", timeouts.totalMs);
    const onAbort = () => fail(new Error("the request was broken off"));
    const end = () => {
      for (const one of [connecting, waiting, reading]) clearTimeout(one);
      signal.removeEventListener("abort", onAbort);
    };
    const fail = (error: Error) => {
      end();
      reject(error);
      // Whatever the receiver still sends or holds open: the socket goes.
      request.destroy();
    };
    const finish = (answer: Answer) => {
      end();
      resolve(answer);
      if (answer.unread !== null) request.destroy();
    };

    let hasBegun = false;
    request.on("socket", (socket) => {
      const connected = () => clearTimeout(connecting);
      if (request.reusedSocket) connected();
      else socket.once(url.protocol === "https:" ? "secureConnect" : "connect", connected);
    });
    request.on("response", (response: IncomingMessage) => {
      hasBegun = true;
      clearTimeout(waiting);
      readBody({ ...given, response, finish, fail });
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      const isNonsense = error.code?.startsWith("HPE_") === true;
      // A receiver may answer and close before it has read all of the body: its answer counts, not our broken pipe.
      if (hasBegun && !isNonsense) return;
      const isStale = request.reusedSocket && !isNonsense;
      fail(isStale ? new StaleConnection("the connection had been closed", { cause: error }) : error);
    });
    if (signal.aborted) onAbort();
    else {
      signal.addEventListener("abort", onAbort, { once: true });
      request.end(body);
    }
  });
}
