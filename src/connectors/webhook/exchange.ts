import { type Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { WebhookSettings } from "./option-defaults.ts";

/** Larger answers are cut: nothing we ask for has a reason to be longer. */
const maxAnswerBytes = 1024 * 1024;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  /** Why the body is not what was sent: too long, or compressed although that was not asked for. */
  readonly unread: "too-long" | "encoded" | null;
}

export interface Exchange {
  readonly method: "POST" | "HEAD";
  readonly url: URL;
  readonly agent: Agent;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
  readonly timeouts: WebhookSettings["timeouts"];
  readonly signal: AbortSignal;
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

function attempt({ method, url, agent, headers, body, timeouts, signal }: Exchange): Promise<Answer> {
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
    const onAbort = () => fail(new Error("the delivery was broken off"));
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
    request.on("response", (response) => {
      hasBegun = true;
      clearTimeout(waiting);
      read(response, finish, fail);
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

function read(response: IncomingMessage, finish: (answer: Answer) => void, fail: (error: Error) => void): void {
  const { statusCode: status = 0, headers } = response;
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  // Errors may still come after the answer was cut; nobody waits for them, but unheard they end the process.
  response.on("error", fail);
  if (encoding !== "" && encoding !== "identity") {
    finish({ status, headers, body: Buffer.alloc(0), unread: "encoded" });
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  response.on("data", (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size <= maxAnswerBytes) return;
    response.removeAllListeners("data");
    finish({ status, headers, body: Buffer.concat(chunks).subarray(0, maxAnswerBytes), unread: "too-long" });
  });
  response.on("end", () => {
    finish({ status, headers, body: Buffer.concat(chunks), unread: null });
  });
}
