import { parentPort, workerData } from "node:worker_threads";
import type { Config } from "../config/config-schema.ts";
import type { QueryId } from "../contract/operations.ts";
import { createEngine } from "../engine/engine.ts";
import { routing } from "../engine/queries/routing.ts";
import { newReference } from "../kit/ids.ts";
import { silentLog } from "../kit/log.ts";
import { systemClock } from "../kit/time/clock.ts";
import { systemTimers } from "../kit/time/timers.ts";
import { chooseLanguage } from "../messages/choose-language.ts";
import { openEmbedded } from "../runtime/open-base.ts";
import type { BulkAnswer } from "../server/connection/bulk-parser.ts";
import type { Answer } from "../server/contract/answer.ts";
import { contractHandler } from "../server/contract/contract-routes.ts";
import { inputReader } from "../server/contract/read-input.ts";
import { answerPart } from "./answer-part.ts";

/** Large queries: the same reader, engine and connector as in the main thread. */
export interface BulkSettings {
  readonly config: Config;
  readonly databaseFile: string;
}
export type BulkJob =
  | { readonly id: QueryId; readonly chunks: Chunks; readonly acceptLanguage: string | undefined }
  | { readonly partOf: QueryId; readonly chunks: Chunks; readonly acceptLanguage: string | undefined };

/** Bytes that follow each other. */
type Chunks = readonly Uint8Array<ArrayBuffer>[];

/** A part of a list: its answer, null where it has none by itself, and its bytes back in case they are needed whole. */
export interface BulkPart {
  readonly elements: Uint8Array | null;
  readonly chunks: Chunks;
}

/** A part is done in one go. An answer begins, goes on in chunks and ends, or fails wherever it is. */
export type FromBulk =
  | { readonly done: BulkPart }
  | { readonly begun: Omit<BulkAnswer, "chunks"> }
  | { readonly chunk: Uint8Array }
  | "ended"
  | { readonly failed: string };

if (parentPort === null) throw new Error("large queries are answered only in a worker thread");
const port = parentPort;
// Given by whoever starts this thread.
const { config, databaseFile } = workerData as BulkSettings;

const { connector } = await openEmbedded({
  config,
  databaseFile,
  clock: systemClock,
  log: silentLog,
  timers: systemTimers,
  dates: config,
  // What is answered here is answered from the database alone.
  connectorState: { read: () => undefined, write: async () => {} },
});
const engine = createEngine({
  routing: routing({ queries: connector, isBooked: false }),
  clock: systemClock,
  log: silentLog,
  budgets: config.budgets,
  served: { dates: config, invalidOrders: config.orders.invalid },
  newEntryId: () => "",
  newReference,
  onTouched: () => {},
});
const handler = contractHandler({ engine, log: silentLog, validationMode: config.validationMode, newReference });
const reader = inputReader();
const encoder = new TextEncoder();
const send = (message: FromBulk, handedOver: ArrayBuffer[] = []) => port.postMessage(message, handedOver);

/** Smaller ones would cost the other thread more turns than they are worth. */
const chunkLength = 64 * 1024;

/** The same memory for every part: new memory for each is slow to get, and counts as garbage until it is collected. */
let scratch = new Uint8Array(0);
function joined(chunks: Chunks): Uint8Array {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (scratch.length < length) scratch = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    scratch.set(chunk, at);
    at += chunk.length;
  }
  return scratch.subarray(0, length);
}

port.on("message", async (job: BulkJob) => {
  try {
    if ("partOf" in job) {
      const { partOf: id, chunks, acceptLanguage } = job;
      const text = await answerPart(
        { reader, engine },
        { id, bytes: joined(chunks), language: chooseLanguage(acceptLanguage) },
      );
      const elements = text === null ? null : encoder.encode(text);
      const own = elements === null ? [] : [elements.buffer];
      send({ done: { elements, chunks } }, [...own, ...chunks.map(({ buffer }) => buffer)]);
      return;
    }
    const answer = await handler.query(job.id, reader.fromBody(job.id, Buffer.concat(job.chunks)), job.acceptLanguage);
    const { status, contentType, facts = [], result } = answer;
    const chunks = chunksOf(answer.body);
    // Until the first is there a failure can still be told in words.
    const { value: first } = chunks.next();
    send({ begun: { status, contentType, facts, ...(result === undefined ? {} : { result }) } });
    if (first !== undefined) send({ chunk: first }, [first.buffer]);
    for (const chunk of chunks) send({ chunk }, [chunk.buffer]);
    send("ended");
  } catch (error) {
    send({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});

function* chunksOf(body: Answer["body"]): Generator<Uint8Array<ArrayBuffer>, undefined> {
  let text = "";
  for (const piece of typeof body === "string" ? [body] : body) {
    if (typeof piece === "string") text += piece;
    if (typeof piece === "string" && text.length < chunkLength) continue;
    if (text !== "") yield encoder.encode(text);
    text = "";
    // Copied: what is handed over is gone here, and the connector may still need it.
    if (typeof piece !== "string") yield new Uint8Array(piece);
  }
  if (text !== "") yield encoder.encode(text);
}
