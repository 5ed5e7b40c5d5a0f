import type { IncomingMessage, Server, ServerResponse } from "node:http";

/** A request and its answer, each cut at a limit. */
export interface CapturedExchange {
  readonly method: string;
  readonly url: string;
  readonly request: Uint8Array;
  readonly requestBytes: number;
  readonly status: number;
  readonly answer: Uint8Array;
  readonly answerBytes: number;
  /** False if the connection ended before the answer was written. */
  readonly isAnswered: boolean;
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface CaptureNeeds {
  /** Whether anybody still wants exchanges. Called for each request that is captured. */
  readonly isWanted: () => boolean;
  /** Registers a function that is called each time that somebody begins to want exchanges. */
  readonly onWanted: (begin: () => void) => void;
  readonly onExchange: (exchange: CapturedExchange) => void;
  readonly now: () => number;
}

const mostKeptBytes = 256 * 1024;
/** Further requests at the same time are not captured, so that the memory stays bounded. */
const mostAtOnce = 64;

/** Copies requests and answers while somebody wants them. Otherwise it costs a request nothing. */
export function captureExchanges(server: Pick<Server, "prependListener" | "off">, needs: CaptureNeeds): void {
  let running = 0;
  const capture = (request: IncomingMessage, response: ServerResponse) => {
    if (!needs.isWanted()) {
      server.off("request", capture);
      return;
    }
    if (running >= mostAtOnce) return;
    running++;
    const startedAt = needs.now();
    const { method = "", url = "" } = request;
    const received = keeper();
    const sent = keeper();
    // Replaces `emit` instead of adding a listener: a listener would start the flow of the body before its reader is
    // there.
    const emit = request.emit.bind(request);
    request.emit = (name: string | symbol, ...given: unknown[]) => {
      if (name === "data") received.keep(given[0]);
      return emit(name, ...given);
    };
    const write = response.write.bind(response);
    const end = response.end.bind(response);
    response.write = ((...given: unknown[]) => {
      sent.keep(given[0]);
      return Reflect.apply(write, response, given);
      // `write` has several forms, and all are passed on unchanged. The content is the first argument of each.
    }) as typeof response.write;
    response.end = ((...given: unknown[]) => {
      if (typeof given[0] !== "function") sent.keep(given[0]);
      return Reflect.apply(end, response, given);
      // `end` has several forms too. Without content the first argument is a function, or missing.
    }) as typeof response.end;
    response.once("close", () => {
      running--;
      needs.onExchange({
        ...{ method, url, startedAt, endedAt: needs.now(), isAnswered: response.writableFinished },
        ...{ request: received.kept(), requestBytes: received.bytes(), status: response.statusCode },
        ...{ answer: sent.kept(), answerBytes: sent.bytes() },
      });
    });
  };
  needs.onWanted(() => {
    server.off("request", capture);
    server.prependListener("request", capture);
  });
}

function keeper() {
  const chunks: Uint8Array[] = [];
  let kept = 0;
  let all = 0;
  return {
    keep: (content: unknown) => {
      const chunk = typeof content === "string" ? Buffer.from(content) : content;
      if (!(chunk instanceof Uint8Array)) return;
      all += chunk.byteLength;
      const part = Uint8Array.prototype.slice.call(chunk, 0, mostKeptBytes - kept);
      kept += part.byteLength;
      if (part.byteLength > 0) chunks.push(part);
    },
    kept: () => Buffer.concat(chunks),
    bytes: () => all,
  };
}
