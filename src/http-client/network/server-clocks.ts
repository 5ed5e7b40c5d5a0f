import { subscribe, unsubscribe } from "node:diagnostics_channel";

/** What a server's clock showed. */
export interface ServerClock {
  readonly host: string;
  /** How far it is ahead of the clock of this machine; negative if it is behind. */
  readonly aheadMs: number;
}

/** The channel of the HTTP library, with the part of its messages that is used. */
const channel = "undici:request:headers";
interface AnswerBegun {
  readonly request: { readonly origin?: unknown };
  readonly response: { readonly headers: readonly (Uint8Array | string)[] };
}

/** A date has whole seconds, so it is half a second earlier on average. */
const halfSecondMs = 500;

/**
 * Reads the clocks of all servers that answer requests of this process from now on. Each host is listed once, with its
 * smallest difference: a slow answer, or one from a cache, has an older date.
 */
export function watchServerClocks(now: () => number) {
  const clocks = new Map<string, ServerClock>();
  const onAnswer = (message: unknown) => {
    // The library's documentation lists these members.
    const { request, response } = message as AnswerBegun;
    const date = Date.parse(headerOf(response.headers, "date") ?? "");
    const origin = String(request.origin);
    if (Number.isNaN(date) || !URL.canParse(origin) || headerOf(response.headers, "age") !== undefined) return;
    const { host } = new URL(origin);
    const aheadMs = date + halfSecondMs - now();
    const known = clocks.get(host);
    if (known === undefined || Math.abs(aheadMs) < Math.abs(known.aheadMs)) clocks.set(host, { host, aheadMs });
  };
  subscribe(channel, onAnswer);
  return {
    seen: (): readonly ServerClock[] => [...clocks.values()],
    stop: () => void unsubscribe(channel, onAnswer),
  };
}

/** Names and values alternate. */
function headerOf(headers: AnswerBegun["response"]["headers"], wanted: string): string | undefined {
  for (let place = 0; place + 1 < headers.length; place += 2) {
    if (textOf(headers[place]).toLowerCase() === wanted) return textOf(headers[place + 1]);
  }
  return undefined;
}

const textOf = (part: Uint8Array | string | undefined): string =>
  typeof part === "string" ? part : Buffer.from(part ?? []).toString("latin1");
