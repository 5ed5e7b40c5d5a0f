import type { Timers } from "../../kit/time/timers.ts";
import type { Exporter } from "./open-exporter.ts";
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
  readonly encode: (spans: readonly SpanRecord[]) => Buffer;
  readonly timers: Timers;
}

/** Collects finished spans and sends them in batches, one batch at a time. */
export function spanQueue(needs: SpanQueueNeeds): SpanQueue {
  const { queueSize, batchSize, delayMs, exporter, encode, timers } = needs;
  let waiting: SpanRecord[] = [];
  let inFlight = 0;
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
    if (waiting.length > 0 && cancel === null) cancel = timers.after(delayMs, begin);
  };

  /** Sends all full batches, and at least one batch. */
  const sendAll = async () => {
    do {
      // The work that ended its span continues first.
      await new Promise<void>((resolve) => timers.soon(resolve));
      await sendBatch();
    } while (waiting.length >= batchSize);
  };

  const sendBatch = async () => {
    const batch = waiting.slice(0, batchSize);
    if (batch.length === 0) return;
    waiting = waiting.slice(batch.length);
    inFlight = batch.length;
    const sent = await exporter.send(encode(batch));
    inFlight = 0;
    const refused = "failed" in sent ? 0 : Math.min(batch.length, sent.rejected);
    counts.refused += refused;
    if ("failed" in sent) counts.dropped += batch.length;
    else counts.sent += batch.length - refused;
  };

  return {
    add: (span) => {
      // Spans being sent count as well, so that the setting bounds the memory.
      if (waiting.length + inFlight >= queueSize) {
        counts.dropped++;
        return;
      }
      waiting.push(span);
      if (waiting.length >= batchSize) begin();
      else wakeLater();
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
        while (waiting.length > 0 && !isLate) await sendBatch();
      };
      await Promise.race([all(), late]);
      cancelLate();
      counts.dropped += waiting.length;
      waiting = [];
    },
    counts: () => counts,
  };
}
