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

/** Answers large queries with the same reader, engine and connector as the main thread. */
export interface BulkSettings {
  readonly config: Config;
  readonly databaseFile: string;
}
export type BulkJob =
  | { readonly id: QueryId; readonly chunks: Chunks; readonly acceptLanguage: string | undefined }
  | { readonly partOf: QueryId; readonly chunks: Chunks; readonly acceptLanguage: string | undefined };

/** The bytes of a body, in order. */
type Chunks = readonly Uint8Array<ArrayBuffer>[];

/**
 * The answer to a part of a list; null if the part cannot be answered alone. The bytes come back in case the whole body
 * is needed.
 */
export interface BulkPart {
  readonly elements: Uint8Array | null;
  readonly chunks: Chunks;
}

/** The reply to a part is one message. An answer has a start, chunks and an end, and can fail at any point. */
export type FromBulk =
  | { readonly done: BulkPart }
  | { readonly begun: Omit<BulkAnswer, "chunks"> }
  | { readonly chunk: Uint8Array }
  | "ended"
  | { readonly failed: string };

if (parentPort === null) throw new Error("large queries are answered only in a worker thread");
const port = parentPort;
// The code that starts this thread passes exactly this.
const { config, databaseFile } = workerData as BulkSettings;

const { connector } = await openEmbedded({
  config,
  databaseFile,
  clock: systemClock,
  log: silentLog,
  timers: systemTimers,
  dates: config,
  // Queries in this thread use only the database, so no connector state is needed.
  connectorState: { read: () => undefined, write: async () => {} },
});
const engine = createEngine({
  routing: routing({ queries: connector, isBooked: false }),
  clock: systemClock,
  log: silentLog,
  budgets: config.budgets,
  served: { dates: config, invalidOrders: config.orders.badRecords },
  newEntryId: () => "",
  newReference,
  onTouched: () => {},
});
const handler = contractHandler({ engine, log: silentLog, validationMode: config.validationMode, newReference });
const reader = inputReader();
const encoder = new TextEncoder();
const send = (message: FromBulk, handedOver: ArrayBuffer[] = []) => port.postMessage(message, handedOver);

/** With smaller chunks the overhead in the receiving thread would dominate. */
const chunkLength = 64 * 1024;

/** Reused for every part: new memory is slow to allocate and counts as garbage until it is collected. */
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
    // Before the first chunk is sent, a failure can still become a proper error answer.
    const { value: first } = await chunks.next();
    send({ begun: { status, contentType, facts, ...(result === undefined ? {} : { result }) } });
    if (first !== undefined) send({ chunk: first }, [first.buffer]);
    for await (const chunk of chunks) send({ chunk }, [chunk.buffer]);
    send("ended");
  } catch (error) {
    send({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});

async function* chunksOf(body: Answer["body"]): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  let text = "";
  for await (const piece of typeof body === "string" ? [body] : body) {
    if (typeof piece === "string") text += piece;
    if (typeof piece === "string" && text.length < chunkLength) continue;
    if (text !== "") yield encoder.encode(text);
    text = "";
    // Copied, because transferring the memory removes it here, and the connector may still need it.
    if (typeof piece !== "string") yield new Uint8Array(piece);
  }
  if (text !== "") yield encoder.encode(text);
}
