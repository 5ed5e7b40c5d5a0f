import type { IncomingMessage } from "node:http";
import type { Readable, Transform } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  /** Why the body is not what was sent: too long, or compressed in a way that was not asked for. */
  readonly unread: "too-long" | "encoded" | null;
  /** Where it was cut, or would have been. */
  readonly maxAnswerBytes: number;
}

export interface BodyReading {
  readonly response: IncomingMessage;
  readonly maxAnswerBytes: number;
  readonly decodes: boolean;
  readonly finish: (answer: Answer) => void;
  readonly fail: (error: Error) => void;
}

/** What an answer cannot be read for: its compression breaks off or was none. */
export class Undecodable extends Error {}

/** Reads the body up to its limit. The limit counts what comes out of the decoder: a small body may unfold to anything. */
export function readBody({ response, maxAnswerBytes, decodes, finish, fail }: BodyReading): void {
  const { statusCode: status = 0, headers } = response;
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  const isPlain = encoding === "" || encoding === "identity";
  // Errors may still come after the answer was cut; nobody waits for them, but unheard they end the process.
  response.on("error", fail);
  const answer = (body: Buffer, unread: Answer["unread"]) => finish({ status, headers, body, unread, maxAnswerBytes });
  if (!isPlain && !(decodes && Object.hasOwn(decoders, encoding))) {
    answer(Buffer.alloc(0), "encoded");
    return;
  }
  const source = isPlain ? response : decoded(response, encoding, fail);
  const chunks: Buffer[] = [];
  let size = 0;
  source.on("data", (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size <= maxAnswerBytes) return;
    source.removeAllListeners("data");
    if (source !== response) source.destroy();
    answer(Buffer.concat(chunks).subarray(0, maxAnswerBytes), "too-long");
  });
  source.on("end", () => answer(Buffer.concat(chunks), null));
}

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createUnzip,
  "x-gzip": createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
};

function decoded(response: IncomingMessage, encoding: string, fail: (error: Error) => void): Readable {
  const failed = (error: Error) => fail(new Undecodable(`it is no ${encoding}: ${error.message}`, { cause: error }));
  return piped(response, decoders[encoding]?.() ?? createUnzip(), failed);
}

function piped(response: IncomingMessage, decoder: Transform, failed: (error: Error) => void): Readable {
  decoder.on("error", failed);
  response.on("error", () => decoder.destroy());
  return response.pipe(decoder);
}
