import { parentPort, workerData } from "node:worker_threads";
import type { AskId } from "../contract/operations.ts";
import type { PushTopic } from "../contract/pushes.ts";
import { createEngine } from "../engine/engine.ts";
import { routing } from "../engine/routing.ts";
import type { BulkAnswer } from "../http/bulk-road.ts";
import { contractRoad } from "../http/contract-road.ts";
import { readPushBytes } from "../http/inbound-routes.ts";
import { inputReader } from "../http/read-input.ts";
import { systemClock } from "../kit/clock.ts";
import { silentLog } from "../kit/log.ts";
import type { Config } from "./config-schema.ts";
import { openConnector } from "./open-connector.ts";
import { newReference } from "./references.ts";

/** The road for large bodies: the same reader, engine and connector as in the main thread, for questions only. */
export interface BulkSettings {
  readonly config: Config;
  readonly databaseFile: string;
}
export type BulkJob =
  | { readonly id: AskId; readonly body: Uint8Array; readonly acceptLanguage: string | undefined }
  | { readonly topic: PushTopic; readonly body: Uint8Array };

if (parentPort === null) throw new Error("the road for large bodies runs only as a worker thread");
const port = parentPort;
const { config, databaseFile } = workerData as BulkSettings;

const { connector } = await openConnector({ config, databaseFile, clock: systemClock, log: silentLog });
const engine = createEngine({
  routing: routing({ asks: connector, isBooked: false }),
  clock: systemClock,
  log: silentLog,
  budgets: config.budgets,
  served: { dates: config, invalidOrders: config.orders.invalid },
  newEntryId: () => "",
  newReference,
  onTouched: () => {},
});
const road = contractRoad({ engine, log: silentLog, validationMode: config.validationMode, newReference });
const reader = inputReader();
const encoder = new TextEncoder();

port.on("message", async (job: BulkJob) => {
  try {
    if ("topic" in job) {
      port.postMessage({ done: readPushBytes(job.topic, job.body, config) });
      return;
    }
    const answer = await road.ask(job.id, reader.fromBody(job.id, job.body), job.acceptLanguage);
    const pieces = typeof answer.body === "string" ? [answer.body] : answer.body;
    // Copied where they are bytes already: what is handed over is gone here, and the connector may still need it.
    const chunks = Array.from(pieces, (piece) =>
      typeof piece === "string" ? encoder.encode(piece) : new Uint8Array(piece),
    );
    const done: BulkAnswer = { ...answer, chunks, facts: answer.facts ?? [] };
    const { status, contentType, facts } = done;
    port.postMessage(
      { done: { status, contentType, chunks, facts } },
      chunks.map((chunk) => chunk.buffer),
    );
  } catch (error) {
    port.postMessage({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
