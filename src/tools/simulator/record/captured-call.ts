import type { IncomingHttpHeaders } from "node:http";
import { routeMatcher } from "../../../contract/derive/match-route.ts";
import { type OperationId, operationRow } from "../../../contract/operations.ts";
import { type PushTopic, pushRow, pushTopics } from "../../../contract/pushes.ts";

/** One call as it passed the proxy, still with everything that must not be written. */
export interface CapturedCall {
  readonly sequence: number;
  readonly atMs: number;
  readonly tookMs: number;
  readonly found: FoundRow;
  readonly method: string;
  readonly requestHeaders: IncomingHttpHeaders;
  readonly request: CapturedBody;
  readonly answer: {
    readonly status: number;
    readonly headers: IncomingHttpHeaders;
    readonly body: CapturedBody;
  } | null;
}

/** The bytes; null if there were more than are kept. */
export type CapturedBody = Uint8Array | null;

interface FoundRow {
  readonly row: { readonly operation: OperationId } | { readonly push: PushTopic };
  /** The documented path, with a placeholder for its value. */
  readonly path: string;
  /** The value of the placeholder, still encoded. */
  readonly rawValue: string | null;
  /** Still encoded. */
  readonly rawQuery: string;
}

/** Finds the row of the tables for an address; null for everything else, such as administration. */
export function rowFinder(basePath: string): (method: string, url: string) => FoundRow | null {
  const match = routeMatcher(basePath);
  const base = basePath.replace(/\/+$/, "").toLowerCase();
  const pushByPath = new Map(pushTopics.map((topic) => [base + pushRow(topic).path, topic]));
  return (method, url) => {
    const found = match(method, url);
    if (found !== null && "id" in found) {
      const { id: operation, rawValue, rawQuery } = found;
      return { row: { operation }, path: operationRow(operation).path, rawValue, rawQuery };
    }
    const [address = "", rawQuery = ""] = url.split("?", 2);
    const push = pushByPath.get(address.toLowerCase().replace(/\/$/, ""));
    if (push === undefined || method !== "POST") return null;
    return { row: { push }, path: pushRow(push).path, rawValue: null, rawQuery };
  };
}

/** One line of a recording. The file has a header, then one scrubbed JSON line per call. */
export type RecordedLine = RecordedBegin | RecordedCall;

/** The first line in every file of a recording. */
export interface RecordedBegin {
  readonly kind: "begin";
  readonly version: 1;
  /** Shared by the files of one recording: an older file beside it may belong to another recording. */
  readonly session: string;
}

export interface RecordedCall {
  readonly kind: "call";
  /** The order in which the calls began; lines are in the order in which they ended. */
  readonly sequence: number;
  /** Time since the recording began. */
  readonly atMs: number;
  readonly tookMs: number;
  readonly row: { readonly operation: OperationId } | { readonly push: PushTopic };
  readonly method: string;
  /** Path and query below the base path, encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly request: RecordedBody;
  /** Null if the caller or the adapter hung up before there was an answer. */
  readonly answer: RecordedAnswer | null;
}

interface RecordedAnswer {
  readonly status: number;
  readonly body: RecordedBody;
}

/** `none`: the body was empty. `lost`: it was too large to keep, or not JSON. */
export type RecordedBody = { readonly json: unknown } | { readonly none: true } | { readonly lost: string };
