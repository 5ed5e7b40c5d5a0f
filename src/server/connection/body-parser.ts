import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { errorCodes, type FastifyRequest } from "fastify";
import { type BodyBudget, whenAnswered } from "./body-budget.ts";

type Done = (error: Error | null, body?: Uint8Array) => void;

/** There is no room for this body now. A retry may succeed. */
export class BodyRefused extends Error {
  readonly statusCode = 503;
  constructor() {
    super("Too many large bodies are being received. Try again in a few seconds.");
    this.name = "BodyRefused";
  }
}

const smallBytes = 64 * 1024;

/**
 * Reads a body into one piece of memory. A large body gets memory of its own, so that it can be transferred to another
 * thread, and so that it can be released at once if the body stays incomplete.
 */
export function bodyParser(budget: BodyBudget) {
  return (request: FastifyRequest, payload: Readable, done: Done) => {
    const announced = Number(request.headers["content-length"]);
    const limitBytes = request.routeOptions.bodyLimit ?? 0;
    if (announced > limitBytes) {
      dropRest(payload);
      return done(tooLarge());
    }
    // Events of the floor: at most as long as announced, and processed quickly.
    if (announced <= smallBytes) return readSmall(payload, done);
    const share = budget.open(() => payload.destroy());
    whenAnswered(request.raw, share.giveBack);
    // Blocks are used even if the length is announced: one large allocation per body would come from the heap of the C
    // library.
    const blocks = bodyBlocks();
    let receivedBytes = 0;

    const onData = (chunk: Uint8Array) => {
      const bytes = chunk.length;
      const refusal = receivedBytes + bytes > limitBytes ? tooLarge() : share.take(bytes) ? null : new BodyRefused();
      if (refusal === null) blocks.add(chunk);
      receivedBytes += bytes;
      release(chunk);
      if (refusal !== null) fail(refusal);
    };
    const onEnd = () => {
      stop();
      blocks.joined().then((body) => done(null, body), done);
    };
    const fail = (error: Error) => {
      stop();
      share.giveBack();
      blocks.release();
      dropRest(payload);
      done(error);
    };
    const stop = reading(payload, onData, onEnd, fail);
  };
}

/** So many chunks are taken, however short they are. Those of more have at least so many bytes on average. */
const mostCrumbs = 1_000;
const crumbBytes = 16;

/**
 * Closes the connection of a body that comes in too many chunks of a few bytes, for which there is no reason. One packet
 * holds ten thousand of them, and Node passes on all of them before anything else is done. They are counted where they
 * come in, because the body of a request may never be read.
 */
export function limitCrumbs(request: IncomingMessage): void {
  let chunks = 0;
  let receivedBytes = 0;
  const push = request.push.bind(request);
  request.push = (chunk: Uint8Array | null, encoding?: BufferEncoding) => {
    chunks++;
    receivedBytes += chunk?.length ?? 0;
    if (chunk === null || chunks <= mostCrumbs || receivedBytes >= chunks * crumbBytes) return push(chunk, encoding);
    closeAtOnce(request.socket);
    return false;
  };
  // After the answer Node calls this to drop the rest of the body, and no longer passes on its chunks.
  Reflect.set(request, "_dump", () => request.resume());
}

/** Where Node's parser keeps what it calls: at the begin of a message, for headers, their end, a chunk, and the end. */
const callbacks = [0, 1, 2, 3, 4] as const;

/**
 * Closes a connection in the middle of its data. Node has read up to 64 KiB by then and would still make an object of
 * every request in it and pass on every chunk. Nothing but the parser's callbacks can be stopped.
 */
export function closeAtOnce(socket: Socket): void {
  socket.destroy();
  const parser: unknown = Reflect.get(socket, "parser");
  if (!(parser instanceof Object) || typeof Reflect.get(parser, callbacks[3]) !== "function") return;
  const kept = callbacks.map((place): unknown => Reflect.get(parser, place));
  for (const place of callbacks) Reflect.set(parser, place, null);
  // Node uses its parsers again, for other connections.
  socket.once("close", () => {
    for (const place of callbacks) Reflect.set(parser, place, kept[place]);
  });
}

/**
 * Frees copied chunks at once. In a flood of bodies, hundreds of megabytes would otherwise wait for the garbage
 * collector, scattered over so many places that the system would not get the memory back.
 */
export function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/** Reads the rest and drops it, so that the sender reads the answer. Released at once, for the same reason. */
export function dropRest(payload: Readable): void {
  payload.on("data", release);
}

function readSmall(payload: Readable, done: Done): void {
  const chunks: Uint8Array[] = [];
  const stop = reading(
    payload,
    (chunk) => chunks.push(chunk),
    () => {
      stop();
      done(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    },
    (error) => {
      stop();
      done(error);
    },
  );
}

function reading(
  payload: Readable,
  onData: (chunk: Uint8Array) => void,
  onEnd: () => void,
  fail: (error: Error) => void,
): () => void {
  const onError = (error: Error) => fail(Object.assign(error, { statusCode: 400 }));
  // A request that is destroyed on this side, for example by the guard against slow senders, ends without an error.
  const onClose = () => onError(new Error("the body is incomplete"));
  payload.on("data", onData).on("end", onEnd).on("error", onError).on("close", onClose);
  return () => payload.off("data", onData).off("end", onEnd).off("error", onError).off("close", onClose);
}

/** The library's own error, as on every other route. */
const tooLarge = () => new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();

/** The bytes of a large body while it arrives. */
export interface BodyBlocks {
  /** Copies the bytes. */
  readonly add: (chunk: Uint8Array) => void;
  /** Copies all bytes into one new piece of memory and releases the blocks. */
  readonly joined: () => Promise<Buffer<ArrayBuffer>>;
  readonly release: () => void;
}

const blockBytes = 256 * 1024;
/** How many bytes are copied in one turn of the event loop. */
const copiedPerTurn = 2 ** 20;

/**
 * The system gives resizable memory page by page and gets it back at once. Other memory comes from the heap of the C
 * library: 300 bodies that stalled after 7 MB each left 340 MB there, which no other program could use.
 */
const growing = (bytes: number) => new ArrayBuffer(bytes, { maxByteLength: bytes });

export function bodyBlocks(newBlock: (bytes: number) => ArrayBuffer = growing): BodyBlocks {
  let blocks: ArrayBuffer[] = [];
  let size = 0;

  const release = () => {
    for (const block of blocks) if (!block.detached) block.transfer(0);
    blocks = [];
  };

  return {
    add: (chunk) => {
      for (let from = 0; from < chunk.length; ) {
        const at = size % blockBytes;
        if (at === 0) blocks.push(newBlock(blockBytes));
        const part = chunk.subarray(from, from + blockBytes - at);
        const block = blocks.at(-1);
        if (block !== undefined) new Uint8Array(block, at).set(part);
        from += part.length;
        size += part.length;
      }
    },
    joined: async () => {
      const whole = Buffer.allocUnsafeSlow(size);
      let at = 0;
      for (const block of blocks) {
        whole.set(new Uint8Array(block, 0, Math.min(blockBytes, size - at)), at);
        block.transfer(0);
        at += blockBytes;
        // Copying 64 MiB at once would hold up other requests.
        if (at % copiedPerTurn === 0) await nextTurn();
      }
      release();
      return whole;
    },
    release,
  };
}
