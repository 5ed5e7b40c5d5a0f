import { once } from "node:events";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import { expect, test } from "vitest";
import { bodyBudget } from "./body-budget.ts";
import { bodyParser } from "./body-parser.ts";

const mebi = 2 ** 20;
/** Each chunk has its own memory, like the chunks of the server. */
const chunkOf = (byte: number) => Buffer.alloc(mebi, byte);

function read(payload: readonly Buffer[] | Readable, { length, maxBytes }: { length?: number; maxBytes: number }) {
  const budget = bodyBudget({ maxBytes, now: () => 0 });
  const request = {
    raw: new IncomingMessage(new Socket()),
    headers: length === undefined ? {} : { "content-length": String(length) },
    routeOptions: { bodyLimit: 8 * mebi },
  };
  return new Promise<Uint8Array | Error>((resolve) => {
    const given = payload instanceof Readable ? payload : Readable.from(payload);
    // The parser uses only these members of a request.
    bodyParser(budget)(request as unknown as FastifyRequest, given, (error, body) =>
      resolve(error ?? body ?? new Error("there is no body")),
    );
  });
}

const isReleased = ({ buffer }: Buffer) => buffer instanceof ArrayBuffer && buffer.detached;

test.each([
  ["of a known length", 3 * mebi],
  ["of unknown length", undefined],
])("a large body %s is read in one piece, and the memory of its chunks is released at once", async (_what, length) => {
  const chunks = [chunkOf(1), chunkOf(2), chunkOf(3)];
  const body = await read(chunks, { maxBytes: 64 * mebi, ...(length === undefined ? {} : { length }) });
  if (body instanceof Error) throw body;
  expect([body.length, body[0], body[mebi], body[3 * mebi - 1]]).toEqual([3 * mebi, 1, 2, 3]);
  expect(chunks.map(isReleased)).toEqual([true, true, true]);
});

test("what has arrived of a body that is refused is released at once", async () => {
  const chunks = [chunkOf(1), chunkOf(2), chunkOf(3)];
  expect(await read(chunks, { maxBytes: 2 * mebi })).toBeInstanceOf(Error);
  expect(chunks.map(isReleased)).toEqual([true, true, true]);
});

test.each([
  ["that finds no room", { maxBytes: 2 * mebi }],
  ["that is announced as too long", { maxBytes: 64 * mebi, length: 9 * mebi }],
  ["that turns out to be too long", { maxBytes: 64 * mebi }],
])("the rest of a body %s is read and released, too", async (_what, given) => {
  const chunks = Array.from({ length: 10 }, (_, nth) => chunkOf(nth));
  const payload = Readable.from(chunks);
  const ended = once(payload, "end");
  expect(await read(payload, given)).toBeInstanceOf(Error);
  await ended;
  expect(chunks.map(isReleased)).toEqual(chunks.map(() => true));
});

test("memory that a chunk shares with others stays", async () => {
  const shared = Buffer.alloc(2 * mebi, 7);
  const body = await read([shared.subarray(0, mebi), shared.subarray(mebi)], { maxBytes: 64 * mebi, length: 2 * mebi });
  expect(body).toEqual(shared);
  expect(isReleased(shared)).toBe(false);
});
