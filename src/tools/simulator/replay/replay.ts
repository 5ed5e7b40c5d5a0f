import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { Agent, request } from "undici";
import { operationIds } from "../../../contract/operations.ts";
import { type PushTopic, pushRow } from "../../../contract/pushes.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import { type Histogram, openHistogram } from "../calls/call-tally.ts";
import type { RecordedCall } from "../record/captured-call.ts";
import { readRecording } from "../record/recording-file.ts";
import { blankImage } from "../record/scrub-value.ts";
import { type AnswerDifference, type AnswerNow, compareAnswers } from "./compare-answers.ts";

export interface ReplayNeeds {
  /** Written by `crossdock record`. */
  readonly file: string;
  readonly url: string;
  /** Factor of the recorded speed; null does not wait. */
  readonly speed: number | null;
  /** If set, the orders and items of the recording are pushed first, and recorded pushes are sent. */
  readonly apiKey: string | null;
  /** Also compares orders, items and reports, not only results. */
  readonly isDataCompared: boolean;
  readonly timers: Timers;
  readonly now: () => number;
  readonly onProgress?: (progress: ReplayProgress) => void;
  readonly isStopped?: () => boolean;
}

export interface ReplayProgress {
  readonly played: number;
  readonly different: number;
  /** Position in the recording. */
  readonly atMs: number;
}

export interface ReplayDifference extends AnswerDifference {
  readonly sequence: number;
  readonly method: string;
  readonly path: string;
}

export interface ReplayResult {
  readonly prepared: { readonly workOrders: number; readonly items: number };
  readonly played: number;
  /**
   * The number of calls that cannot be sent: the body was too large or not JSON, or the call is a push and there is no
   * key.
   */
  readonly skipped: number;
  readonly different: number;
  /** The first thousand differences. */
  readonly differences: readonly ReplayDifference[];
  readonly recordedMs: Histogram;
  readonly nowMs: Histogram;
  readonly durationMs: number;
}

const mostDifferences = 1000;
const mostAtOnce = 64;
const perPush = 200;
const timeoutMs = 60_000;
/**
 * The recorder sees the end of an answer a little later than the caller does. A call that began up to this long before
 * the recorded end still counts as begun after the answer.
 */
const seenLateMs = 25;

/**
 * Sends the calls of a recording again in the order in which they began, and compares each answer with the recorded
 * one. A call that began after another was answered waits for that answer again; parallel calls may be parallel again.
 */
export async function replay(needs: ReplayNeeds): Promise<ReplayResult> {
  const { file, speed, apiKey, timers, now, onProgress } = needs;
  const { origin, pathname } = new URL(needs.url);
  const basePath = pathname.replace(/\/+$/, "");
  const agent = new Agent({ connections: mostAtOnce, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  const [recordedMs, nowMs] = [openHistogram(), openHistogram()];
  const differences: ReplayDifference[] = [];
  const underWay = new Map<Promise<void>, number>();
  let [played, skipped, different] = [0, 0, 0];

  const send = async (method: string, path: string, headers: object, body: Body): Promise<AnswerNow> => {
    const answer = await request(origin + basePath + path, {
      ...{ dispatcher: agent, method: method === "GET" ? "GET" : "POST", headers: { ...headers }, body },
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, json: parsed(text) };
  };
  const push = async (topic: PushTopic, elements: readonly unknown[]) => {
    for (let from = 0; from < elements.length; from += perPush) {
      const headers = { "content-type": "application/json", authorization: `Bearer ${apiKey}` };
      const { status } = await send(
        "POST",
        pushRow(topic).path,
        headers,
        JSON.stringify(elements.slice(from, from + perPush)),
      );
      if (status !== 202) throw new Error(`the ${topic} of the recording were refused with status ${status}`);
    }
  };
  const play = async (call: RecordedCall, body: Body): Promise<void> => {
    const began = now();
    const key = "push" in call.row ? { authorization: `Bearer ${apiKey}` } : {};
    const answer = await send(call.method, call.path, { ...call.headers, ...key }, body).catch(
      (error: unknown): AnswerNow => ({ status: 0, json: String(error) }),
    );
    nowMs.add(now() - began);
    recordedMs.add(call.tookMs);
    played++;
    const difference = compareAnswers(call, answer, needs);
    if (difference !== null) {
      different++;
      const { sequence, method, path } = call;
      if (differences.length < mostDifferences) differences.push({ sequence, method, path, ...difference });
    }
    onProgress?.({ played, different, atMs: call.atMs });
  };

  const beganAt = now();
  try {
    const world = apiKey === null ? { workOrders: [], items: [] } : await recordedWorld(readRecording(file));
    await push("items", world.items);
    await push("workOrders", world.workOrders);
    const playedFrom = now();
    let firstAtMs: number | null = null;
    for await (const call of readRecording(file)) {
      if (needs.isStopped?.() === true) break;
      const body = bodyOf(call, apiKey);
      if (body === undefined) {
        skipped++;
        continue;
      }
      firstAtMs ??= call.atMs;
      const waitMs = speed === null ? 0 : (call.atMs - firstAtMs) / speed - (now() - playedFrom);
      if (waitMs >= 1) await new Promise<void>((resolve) => timers.after(waitMs, resolve));
      const before = [...underWay]
        .filter(([, endedAtMs]) => endedAtMs - seenLateMs <= call.atMs)
        .map(([playing]) => playing);
      await Promise.all(isReport(call) ? underWay.keys() : before);
      while (underWay.size >= mostAtOnce) await Promise.race(underWay.keys());
      const playing: Promise<void> = play(call, body).finally(() => underWay.delete(playing));
      underWay.set(playing, call.atMs + call.tookMs);
    }
    await Promise.all(underWay.keys());
    const prepared = { workOrders: world.workOrders.length, items: world.items.length };
    return { prepared, played, skipped, different, differences, recordedMs, nowMs, durationMs: now() - beganAt };
  } finally {
    await agent.close();
  }
}

/** A report counts earlier events: sent in parallel with the last event, its result would be random. */
const isReport = ({ row }: RecordedCall) => "operation" in row && row.operation === "getReport";

type Body = string | Buffer | null;

/** Returns null if there is no body, undefined if the call cannot be sent again. */
function bodyOf({ row, headers, request: sent }: RecordedCall, apiKey: string | null): Body | undefined {
  if ("lost" in sent || ("push" in row && apiKey === null)) return undefined;
  return "none" in sent ? null : packed(JSON.stringify(sent.json), headers["content-encoding"]);
}

/** Compresses the body as its headers say. Otherwise the answer would differ. */
function packed(text: string, encoding: string | undefined): Body {
  if (encoding === "gzip") return gzipSync(text);
  if (encoding === "deflate") return deflateSync(text);
  return encoding === "br" ? brotliCompressSync(text) : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What the recorded adapter knew, as far as its answers show it. Pushed to the adapter under test. */
interface RecordedWorld {
  readonly workOrders: readonly Members[];
  readonly items: readonly Members[];
}
type Members = Readonly<Record<string, unknown>>;

/** More than a day's recording contains. */
const mostOrders = 100_000;
const shows = new Set<string>(
  operationIds.filter((id) => ["listWorkOrders", "findWorkOrderByCode", "findPutWallOrders"].includes(id)),
);

async function recordedWorld(calls: AsyncIterable<RecordedCall>): Promise<RecordedWorld> {
  const workOrders = new Map<string, Members>();
  const items = new Map<string, Members>();
  const pictured = new Set<string>();
  for await (const { row, request, answer, path } of calls) {
    if ("push" in row) {
      // Records that come later in the recording must not exist before.
      for (const one of elementsOf("json" in request ? request.json : null)) {
        const number = String(one["number"]);
        if (row.push === "workOrders" && !workOrders.has(number)) workOrders.set(number, {});
        if (row.push === "items" && !items.has(number)) items.set(number, {});
      }
      continue;
    }
    if (answer === null || !("json" in answer.body)) continue;
    const { data } = Object(answer.body.json ?? {});
    if (row.operation === "getItemImage" && data === blankImage) {
      pictured.add(decodeURIComponent(path.slice(path.lastIndexOf("/") + 1)));
    }
    if (!shows.has(row.operation) && row.operation !== "getItem") continue;
    const into = row.operation === "getItem" ? items : workOrders;
    for (const one of elementsOf(data)) {
      const number = String(one["number"]);
      if (!into.has(number) && into.size < mostOrders) into.set(number, one);
    }
  }
  for (const number of pictured) items.set(number, { number, ...items.get(number), image: blankImage });
  const filled = (all: ReadonlyMap<string, Members>) => [...all.values()].filter((one) => Object.keys(one).length > 1);
  return { workOrders: filled(workOrders), items: filled(items) };
}

function elementsOf(value: unknown): Members[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one): one is Members => typeof one === "object" && one !== null && "number" in one);
}
