import type { Timers } from "../../kit/time/timers.ts";
import type { Exporter } from "./open-exporter.ts";
import type { Encoder } from "./otlp/encoder.ts";
import type { SpanRecord } from "./span-record.ts";

export interface SpanQueue {
  /** Takes a finished span, or drops it if there is no room; never waits. */
  readonly add: (span: SpanRecord) => void;
  /** Sends the waiting spans, as far as the time allows. */
  readonly flush: (withinMs: number) => Promise<void>;
  readonly counts: () => { readonly sent: number; readonly dropped: number; readonly refused: number };
}

export interface SpanQueueNeeds {
  readonly queueSize: number;
  readonly batchSize: number;
  readonly delayMs: number;
  readonly exporter: Pick<Exporter, "send" | "stop">;
  readonly encoder: Pick<Encoder, "addSpan" | "takeSpans">;
  readonly timers: Timers;
}

interface Batch {
  readonly body: Buffer;
  readonly count: number;
}

/** Collects finished spans and sends them in batches, one batch at a time. */
export function spanQueue(needs: SpanQueueNeeds): SpanQueue {
  const { queueSize, batchSize, delayMs, exporter, encoder, timers } = needs;
  /** Messages that are complete and wait for those before them. */
  const complete: Batch[] = [];
  /** How many spans the next message has so far. */
  let begun = 0;
  /** How many spans there are altogether, including those being sent. */
  let waiting = 0;
  let sending: Promise<void> | null = null;
  let cancel: (() => void) | null = null;
  const counts = { sent: 0, dropped: 0, refused: 0 };

  const begin = () => {
    cancel?.();
    cancel = null;
    sending ??= sendAll().finally(() => {
      sending = null;
      wakeLater();
    });
  };

  const wakeLater = () => {
    if (begun > 0 && cancel === null) cancel = timers.after(delayMs, begin);
  };

  /** Sends all full batches, and at least one batch. */
  const sendAll = async () => {
    do {
      // The work that ended its span continues first.
      await new Promise<void>((resolve) => timers.soon(resolve));
      await sendBatch();
    } while (complete.length > 0);
  };

  const take = (): Batch => {
    const batch = { body: encoder.takeSpans(), count: begun };
    begun = 0;
    return batch;
  };

  const sendBatch = async () => {
    const batch = complete.shift() ?? (begun > 0 ? take() : null);
    if (batch === null) return;
    const { body, count } = batch;
    const sent = await exporter.send(body);
    waiting -= count;
    const refused = "failed" in sent ? 0 : Math.min(count, sent.rejected);
    counts.refused += refused;
    if ("failed" in sent) counts.dropped += count;
    else counts.sent += count - refused;
  };

  return {
    add: (span) => {
      // Spans being sent count as well, so that the setting bounds the memory.
      if (waiting >= queueSize) {
        counts.dropped++;
        return;
      }
      encoder.addSpan(span);
      waiting++;
      begun++;
      if (begun >= batchSize) {
        complete.push(take());
        begin();
      } else if (cancel === null) wakeLater();
    },
    flush: async (withinMs) => {
      cancel?.();
      cancel = null;
      exporter.stop();
      let isLate = false;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancelLate = timers.after(withinMs, () => {
        isLate = true;
        resolve();
      });
      const all = async () => {
        await sending;
        while (begun + complete.length > 0 && !isLate) await sendBatch();
      };
      await Promise.race([all(), late]);
      cancelLate();
      counts.dropped += begun + complete.reduce((sum, { count }) => sum + count, 0);
      complete.length = 0;
      if (begun > 0) take();
    },
    counts: () => counts,
  };
}
