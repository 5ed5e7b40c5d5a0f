import type { Metric } from "../../../engine/metrics/exposition.ts";
import type { SpanKind } from "../../../kit/tracing/tracing.ts";
import type { SpanRecord } from "../span-record.ts";

export const kindNumber: Readonly<Record<SpanKind, number>> = {
  ...{ internal: 1, server: 2, client: 3, producer: 4, consumer: 5 },
};
export const cumulative = 2;

/** The flags of a span: sampled, and whether the parent is known to be in another process. */
export const flagsOf = ({ isParentRemote }: SpanRecord): number => (isParentRemote ? 0x301 : 0x101);

/** What every message contains: which process, and which part of it, has measured. */
export interface Scope {
  readonly resource: Readonly<Record<string, string>>;
  readonly scope: { readonly name: string; readonly version: string };
}

/** One encoding of OTLP. */
export interface Encoder {
  readonly contentType: string;
  /** Encodes a finished span at once, so that it need not be kept until its batch is sent. */
  readonly addSpan: (span: SpanRecord) => void;
  /** Returns the message with all spans that were added since the last call. */
  readonly takeSpans: () => Buffer;
  readonly metrics: (metrics: readonly Metric[], time: { readonly startMs: number; readonly nowMs: number }) => Buffer;
  /** How many items the collector rejected, by its answer. */
  readonly rejectedIn: (answer: Buffer) => number;
}
