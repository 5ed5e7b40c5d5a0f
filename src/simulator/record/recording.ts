import type { OperationId } from "../../contract/operations.ts";
import type { PushTopic } from "../../contract/pushes.ts";

/** A recording is a file of JSON lines: one that says what it is, then one for each call, scrubbed. */
export type RecordedLine = RecordedBegin | RecordedCall;

/** Stands first in every file of a recording. */
export interface RecordedBegin {
  readonly kind: "begin";
  readonly version: 1;
  /** Files of one recording share it; an older file beside it may be of another one. */
  readonly session: string;
}

export interface RecordedCall {
  readonly kind: "call";
  /** In the order in which the calls began; lines stand in the order in which they ended. */
  readonly sequence: number;
  /** Since the recording began. */
  readonly atMs: number;
  readonly tookMs: number;
  readonly row: { readonly operation: OperationId } | { readonly push: PushTopic };
  readonly method: string;
  /** Path and query below the base path, encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly request: RecordedBody;
  /** Null where the caller hung up, or the adapter did, before there was one. */
  readonly answer: RecordedAnswer | null;
}

export interface RecordedAnswer {
  readonly status: number;
  readonly body: RecordedBody;
}

/** `none` was empty; `lost` was too large to keep, or no JSON. */
export type RecordedBody = { readonly json: unknown } | { readonly none: true } | { readonly lost: string };
