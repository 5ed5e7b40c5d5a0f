import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Answer } from "../../http-client/answers/read-body.ts";
import { httpClient } from "../../http-client/http-client.ts";
import { systemNetwork } from "../../http-client/network/proxy-choice.ts";
import type { Log } from "../../kit/log.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { ExportSettings } from "./telemetry-settings.ts";

/** The result of one message: how many items the collector rejected, or why the message was not accepted. */
export type Sent = { readonly rejected: number } | { readonly failed: string };

export interface Exporter {
  /** Sends a message; never throws. While it retries, the caller keeps further data in a bounded queue. */
  readonly send: (body: Buffer) => Promise<Sent>;
  /** Stops retrying: messages that wait for a retry fail. A message being sent may continue until `close`. */
  readonly stop: () => void;
  readonly close: () => void;
}

export interface ExporterNeeds {
  /** The name of the signal, for the log. */
  readonly signal: "traces" | "metrics";
  readonly settings: ExportSettings;
  readonly contentType: string;
  readonly rejectedIn: (answer: Buffer) => number;
  readonly timers: Timers;
  readonly random: () => number;
  readonly now: () => number;
  readonly log: Log;
}

/** The statuses after which OTLP allows a retry. */
const retried = new Set([429, 502, 503, 504]);
const mostTries = 5;
const firstWaitMs = 1_000;
const longestWaitMs = 30_000;
const connectMs = 5_000;
const maxAnswerBytes = 64 * 1024;
const compressed = promisify(gzip);

/** Sends messages to a collector, one at a time. Whatever the collector does, only the caller waits for it. */
export function openExporter(needs: ExporterNeeds): Exporter {
  const { signal, settings, timers, log } = needs;
  const { url, timeoutMs, isCompressed, tls } = settings;
  const timeouts = { connectMs: Math.min(connectMs, timeoutMs), headersMs: timeoutMs, totalMs: timeoutMs };
  const client = httpClient({
    // Collectors usually run beside the adapter or in the same private network.
    ...{ url, tls, timeouts, maxAnswerBytes, allowPrivate: true, decodes: true, ...systemNetwork },
  });
  const closing = new AbortController();
  let isStopped = false;
  let isDown = false;
  let wake = () => {};

  const wait = (ms: number) =>
    new Promise<void>((resolve) => {
      const cancel = timers.after(ms, resolve);
      wake = () => {
        cancel();
        resolve();
      };
    });

  const once = async (body: Buffer): Promise<Answer> => {
    const { headers } = settings;
    return await client.send({
      ...{ method: "POST", url, body, signal: closing.signal },
      headers: {
        ...lowerCase(headers),
        "content-type": needs.contentType,
        "content-length": String(body.length),
        ...(isCompressed ? { "content-encoding": "gzip" } : {}),
      },
    });
  };

  const send = async (plain: Buffer): Promise<Sent> => {
    try {
      const body = isCompressed ? await compressed(plain, { level: 1 }) : plain;
      for (let tries = 1; ; tries++) {
        const outcome = await attempt(body);
        if (!("retryAfterMs" in outcome)) return report(outcome);
        if (tries >= mostTries || isStopped) return report({ failed: outcome.failed });
        // Reported before the wait, because the next message may be minutes away.
        report({ failed: outcome.failed });
        const backOffMs = firstWaitMs * 1.5 ** (tries - 1) * (0.8 + 0.4 * needs.random());
        await wait(Math.min(longestWaitMs, outcome.retryAfterMs ?? backOffMs));
        if (isStopped) return { failed: outcome.failed };
      }
    } catch (error) {
      return report({ failed: reasonOf(error) });
    }
  };

  const attempt = async (
    body: Buffer,
  ): Promise<Sent | { readonly failed: string; readonly retryAfterMs: number | undefined }> => {
    let answer: Answer;
    try {
      answer = await once(body);
    } catch (error) {
      return { failed: reasonOf(error), retryAfterMs: undefined };
    }
    const { status, headers } = answer;
    if (status >= 200 && status < 300) return { rejected: rejectedIn(answer) };
    const failed = `it answered with status ${status}`;
    return retried.has(status)
      ? { failed, retryAfterMs: retryAfterMs(headers["retry-after"], needs.now()) }
      : { failed };
  };

  const rejectedIn = ({ body, unread }: Answer): number => {
    if (body.length === 0 || unread !== null) return 0;
    try {
      return needs.rejectedIn(body) || 0;
    } catch {
      // By its status the message was accepted; some proxies answer with a text of their own.
      return 0;
    }
  };

  /**
   * Logs an outage once when it begins and once when it ends: a collector that is down for days must not fill the log.
   */
  const report = (sent: Sent): Sent => {
    const isFailed = "failed" in sent;
    const fields = { signal, collector: url.host };
    if (isFailed && !isDown)
      log.warn(
        { ...fields, reason: sent.failed },
        "telemetry cannot be sent to the collector; what does not fit into the queue is dropped",
      );
    if (!isFailed && isDown) log.info(fields, "telemetry is sent to the collector again");
    if (!isFailed && sent.rejected > 0)
      log.warn({ ...fields, rejected: sent.rejected }, "the collector refused a part of the telemetry");
    isDown = isFailed;
    return sent;
  };

  return {
    send,
    stop: () => {
      isStopped = true;
      wake();
    },
    close: () => {
      isStopped = true;
      closing.abort();
      wake();
      client.close();
    },
  };
}

const lowerCase = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Reads `Retry-After`, which is in seconds or a date; undefined if it is missing or unreadable. */
function retryAfterMs(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The reason of a failure. It never contains a header, which may hold a key. */
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
