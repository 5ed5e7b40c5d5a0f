import type { Exchange } from "./exchange.ts";
import type { Finding } from "./report.ts";
import { isReceived } from "./wire.ts";

const maxShown = 800;

/** A complaint as it stands in a report: short enough to be read, and without what a gateway asks for. */
export function shownFinding({ sent, reply }: Exchange, expected: string): Finding {
  return {
    expected,
    sent: { ...sent, path: cut(sent.path), body: sent.body === null ? null : cut(sent.body) },
    received: isReceived(reply)
      ? {
          status: reply.status,
          contentType: reply.headers["content-type"] ?? null,
          text: cut(reply.body),
          durationMs: Math.round(reply.durationMs),
        }
      : { status: null, contentType: null, text: reply.failure, durationMs: Math.round(reply.durationMs) },
  };
}

const cut = (text: string): string =>
  text.length > maxShown ? `${text.slice(0, maxShown)}… (${text.length} characters)` : text;
