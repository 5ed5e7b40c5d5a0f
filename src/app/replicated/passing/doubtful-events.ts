import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** As long as an equal event counts as a retry. */
const keptMs = 15 * 60_000;
/** More than are under way when an owner is killed. */
const most = 500;

/** Events that an owner may have stored before it was killed, and whose callers have no answer. */
export interface DoubtfulEvents {
  /** Whether an equal event was sent to an owner that did not answer: then nobody may say that it was not stored. */
  readonly has: (request: IncomingMessage, body: Buffer) => boolean;
  readonly add: (request: IncomingMessage, body: Buffer) => void;
  /** An owner has answered: it knows whether the event was stored. */
  readonly settle: (request: IncomingMessage, body: Buffer) => void;
}

export function doubtfulEvents(now: () => number = () => performance.now()): DoubtfulEvents {
  const since = new Map<string, number>();
  return {
    // Nearly always there are none: then nothing is computed.
    has: (request, body) => since.size > 0 && now() - (since.get(nameOf(request, body)) ?? -keptMs) < keptMs,
    add: (request, body) => {
      const [oldest] = since.keys();
      if (since.size >= most && oldest !== undefined) since.delete(oldest);
      since.set(nameOf(request, body), now());
    },
    settle: (request, body) => {
      if (since.size > 0) since.delete(nameOf(request, body));
    },
  };
}

const nameOf = ({ method, url }: IncomingMessage, body: Buffer): string =>
  hash("sha256", Buffer.concat([Buffer.from(`${method} ${url}\n`), body]), "base64url");
