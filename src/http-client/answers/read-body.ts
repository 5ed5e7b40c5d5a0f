import type { IncomingHttpHeaders } from "node:http";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import { joinedInTurns } from "../../kit/json/bytes-in-turns.ts";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Only the beginning if it is too long. */
  readonly body: Buffer;
  /** Why the body is not complete: too long, or compressed although compression was not accepted. */
  readonly unread: "too-long" | "encoded" | null;
  /** The size limit at which the body was cut, or would have been. */
  readonly maxAnswerBytes: number;
}

export interface BodyNeeds {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly maxAnswerBytes: number;
  readonly decodes: boolean;
  readonly finish: (answer: Answer) => void;
  readonly fail: (error: Error) => void;
  /** `pause` and `resume` control the input if decoding is slower. */
  readonly pause: () => void;
  readonly resume: () => void;
}

/** Receives a body chunk by chunk. */
export interface BodyReader {
  readonly write: (chunk: Buffer) => void;
  readonly end: () => void;
  /** Releases the decoder's memory when nobody waits for the body any more. */
  readonly discard: () => void;
}

/** Joining more at once would stall every other request for milliseconds. */
const quicklyJoined = 256 * 1024;
/** What is kept of a body that is too long: enough to say what it was. */
const beginningBytes = 64 * 1024;

/** Thrown if the response is not HTTP, or if its headers are too large. */
export class NotHttp extends Error {}

/** Thrown if the response cannot be decompressed: it is cut off, or not compressed as declared. */
export class Undecodable extends Error {}

/** Reads a body up to its limit. The limit applies after decompression: a small body may expand to any size. */
export function bodyReader({ status, headers, maxAnswerBytes, decodes, ...given }: BodyNeeds): BodyReader {
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  const answer = (body: Buffer, unread: Answer["unread"]) =>
    given.finish({ status, headers, body, unread, maxAnswerBytes });
  const chunks: Buffer[] = [];
  let size = 0;
  const collect = {
    write: (chunk: Buffer) => {
      if (size > maxAnswerBytes) return;
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxAnswerBytes) answer(Buffer.concat(chunks, Math.min(maxAnswerBytes, beginningBytes)), "too-long");
    },
    end: () => {
      if (size <= quicklyJoined) answer(Buffer.concat(chunks), null);
      else joinedInTurns(chunks).then((body) => answer(body, null), given.fail);
    },
    discard: () => {},
  };
  if (encoding === "" || encoding === "identity") return collect;
  const decoder = decodes && Object.hasOwn(decoders, encoding) ? decoders[encoding]?.() : undefined;
  if (decoder === undefined) {
    answer(Buffer.alloc(0), "encoded");
    return { write: () => {}, end: () => {}, discard: () => {} };
  }
  decoder.on("data", collect.write);
  decoder.on("end", collect.end);
  decoder.on("drain", given.resume);
  decoder.on("error", (error) =>
    given.fail(new Undecodable(`it is not valid ${encoding}: ${error.message}`, { cause: error })),
  );
  return {
    write: (chunk) => {
      if (!decoder.destroyed && !decoder.write(chunk)) given.pause();
    },
    end: () => void decoder.end(),
    discard: () => void decoder.destroy(),
  };
}

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createUnzip,
  "x-gzip": createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
};

/** Headers that allow only one value; the first counts, as in Node's own client. */
const single = new Set(["content-type", "content-length", "retry-after", "location", "etag", "last-modified", "date"]);

/**
 * Returns each header as one text. Repeated headers are joined or, if joining makes no sense, the first one is used.
 */
export function plainHeaders(
  given: Readonly<Record<string, string | readonly string[] | undefined>>,
): IncomingHttpHeaders {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (name === "set-cookie") headers[name] = [value].flat();
    else if (typeof value === "string") headers[name] = value;
    else headers[name] = single.has(name) ? (value[0] ?? "") : value.join(", ");
  }
  return headers;
}
