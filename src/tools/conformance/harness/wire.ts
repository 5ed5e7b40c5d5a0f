import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

export interface WireRequest {
  readonly method: string;
  /** Path and query below the base address, exactly as in the request line. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** False if the bytes were not UTF-8. The body then contains replacement characters. */
  readonly isUtf8: boolean;
  readonly durationMs: number;
}

/** There was no answer: connection refused, cut off, too late, too large. */
export interface NoReply {
  readonly failure: string;
  readonly durationMs: number;
}
export type Reply = Received | NoReply;
export const isReceived = (reply: Reply): reply is Received => "status" in reply;

export interface WireOptions {
  readonly baseUrl: string;
  /** Sent with every request, such as credentials for a gateway; never shown in a report. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
  readonly now: () => number;
}

export interface Wire {
  readonly send: (request: WireRequest) => Promise<Reply>;
  readonly close: () => void;
}

const maxAnswerBytes = 256 * 2 ** 20;

/**
 * Plain HTTP: the path is sent unchanged (fetch would normalise it), and no redirect is followed, because that would
 * send orders and keys to another address.
 */
export function openWire({ baseUrl, headers = {}, deadlineMs, now }: WireOptions): Wire {
  const base = new URL(baseUrl);
  const basePath = base.pathname.replace(/\/+$/, "");
  const isSecure = base.protocol === "https:";
  const agent = new (isSecure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: 32 });
  const request = isSecure ? httpsRequest : httpRequest;
  const login = base.username === "" ? {} : { auth: decodeURIComponent(`${base.username}:${base.password}`) };

  const exchange = (sent: WireRequest, began: number): Promise<Reply> =>
    new Promise((resolve) => {
      const fail = (failure: string) => resolve({ failure, durationMs: now() - began });
      const body = sent.body === undefined ? undefined : Buffer.from(sent.body);
      const outgoing = request(
        {
          host: base.hostname.replace(/^\[|\]$/g, ""),
          port: base.port,
          path: `${basePath}${sent.path}`,
          method: sent.method,
          agent,
          ...login,
          headers: {
            accept: "application/json",
            ...(body === undefined ? {} : { "content-length": body.length }),
            ...headers,
            ...sent.headers,
          },
          signal: AbortSignal.timeout(deadlineMs),
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          let length = 0;
          incoming.on("data", (chunk: Buffer) => {
            length += chunk.length;
            if (length > maxAnswerBytes) incoming.destroy(new Error("the answer is larger than 256 MiB"));
            else chunks.push(chunk);
          });
          incoming.on("error", (error) => fail(error.message));
          incoming.on("end", () =>
            resolve({
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              ...textOf(Buffer.concat(chunks)),
              durationMs: now() - began,
            }),
          );
        },
      );
      outgoing.on("error", (error: NodeJS.ErrnoException) =>
        fail(error.name === "AbortError" ? `no answer within ${deadlineMs} ms` : (error.code ?? error.message)),
      );
      outgoing.end(body);
    });

  return {
    send: async (sent) => {
      const began = now();
      const reply = await exchange(sent, began);
      // The other side may close an idle connection at the moment it is used again; that is not a fault of the adapter.
      // Only requests that change nothing are sent a second time.
      return !isReceived(reply) && reply.failure === "ECONNRESET" && sent.method === "GET"
        ? await exchange(sent, now())
        : reply;
    },
    close: () => agent.destroy(),
  };
}

function textOf(bytes: Buffer): { body: string; isUtf8: boolean } {
  try {
    return { body: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), isUtf8: true };
  } catch {
    return { body: bytes.toString("utf8"), isUtf8: false };
  }
}
