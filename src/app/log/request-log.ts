import { scrubText } from "../../engine/journal-view/support/support-bundle.ts";
import type { Attempt, Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { longestOf, type MaskSecrets } from "../../operation/record-sent.ts";
import type { LoggedExchange, WatchedOrder } from "../../server/admin/log-routes.ts";
import type { CapturedExchange } from "../../server/ops/capture-exchanges.ts";

export interface RequestLogNeeds {
  readonly log: Log;
  readonly clock: Clock;
  readonly maskSecrets: MaskSecrets;
  /** Only its lanes, topic and target are needed. */
  readonly entry: (seq: number) => Entry | null;
}

export interface RequestLog {
  readonly watch: (order: string, forMs: number) => void;
  readonly isWanted: () => boolean;
  /** Sets the function that is called each time somebody starts to watch an order. */
  readonly onWanted: (begin: () => void) => void;
  readonly onExchange: (exchange: CapturedExchange) => void;
  /** Wraps the journal, so that settled attempts are logged. */
  readonly following: <Own extends Pick<Journal, "settle">>(journal: Own) => Own;
  readonly orders: () => readonly WatchedOrder[];
  /** The captured exchanges; null if the order is not watched. */
  readonly exchanges: (order: string) => readonly LoggedExchange[] | null;
}

const mostOrders = 5;
const mostExchanges = 200;
const mostCharacters = 2 * 2 ** 20;
const shownCharacters = 16 * 1024;
const beforeMatch = 2 * 1024;
/** How long captured exchanges can still be read after the end. */
const keptForMs = 3_600_000;

interface Watched {
  until: number;
  readonly found: RegExp;
  readonly exchanges: LoggedExchange[];
}

/**
 * Captures every request and delivery that names a watched order: writes it to the log and keeps it in memory, within
 * limits.
 */
export function createRequestLog({ log, clock, maskSecrets, entry }: RequestLogNeeds): RequestLog {
  const watched = new Map<string, Watched>();
  let lastUntil = 0;
  let begin = () => {};
  const clean = (kept: Uint8Array, bytes: number) => {
    const masked = maskSecrets(new TextDecoder().decode(kept));
    // If it was cut, its end may be the first part of a secret, which is not recognised.
    return scrubText(
      kept.length < bytes ? masked.slice(0, Math.max(0, masked.length - longestOf(maskSecrets))) : masked,
    );
  };
  const keep = (one: Watched, exchange: LoggedExchange) => {
    one.exchanges.push(exchange);
    let characters = one.exchanges.reduce((sum, { request, answer }) => sum + request.length + answer.length, 0);
    while (one.exchanges.length > mostExchanges || characters > mostCharacters) {
      const dropped = one.exchanges.shift();
      characters -= (dropped?.request.length ?? 0) + (dropped?.answer.length ?? 0);
    }
  };
  const isRunning = ({ until }: Watched) => until > clock.now();

  const onExchange: RequestLog["onExchange"] = (given) => {
    const running = [...watched].filter(([, one]) => isRunning(one));
    if (running.length === 0 || /\/admin\/(log|live)/.test(given.url)) return;
    const place = decoded(given.url);
    const [request, answer] = [clean(given.request, given.requestBytes), clean(given.answer, given.answerBytes)];
    for (const [order, one] of running) {
      if (![place, request, answer].some((text) => one.found.test(text))) continue;
      const exchange: LoggedExchange = {
        at: new Date(given.startedAt).toISOString(),
        kind: "request",
        what: `${given.method} ${scrubText(maskSecrets(given.url))}`,
        status: given.isAnswered ? given.status : null,
        ms: given.endedAt - given.startedAt,
        request: around(request, one.found, given.requestBytes),
        answer: around(answer, one.found, given.answerBytes),
      };
      keep(one, exchange);
      log.info({ order, ...exchange }, "a request touched the watched order");
    }
  };

  const onSettled = (seq: number, state: string, attempt: Attempt | null) => {
    const about = attempt === null ? null : entry(seq);
    if (attempt === null || about === null) return;
    for (const [order, one] of watched) {
      if (!isRunning(one) || !about.lanes.some(({ lane }) => one.found.test(lane))) continue;
      const exchanges = attempt.exchanges ?? [{ to: about.target ?? "" }];
      for (const sent of exchanges) {
        const answer = "answer" in sent ? sent.answer : undefined;
        const exchange: LoggedExchange = {
          at: new Date(attempt.startedAt).toISOString(),
          kind: "delivery",
          what: `entry ${seq} ${about.topic} to ${about.target ?? "nobody"}: ${sent.to}`,
          status: answer?.status ?? attempt.status ?? null,
          ms: answer?.ms ?? attempt.endedAt - attempt.startedAt,
          request: scrubText("body" in sent ? (sent.body?.text ?? "") : "").slice(0, shownCharacters),
          answer: scrubText(answer?.body?.text ?? attempt.error ?? "").slice(0, shownCharacters),
        };
        keep(one, exchange);
        log.info({ order, state, ...exchange }, "a delivery touched the watched order");
      }
    }
  };

  return {
    watch: (order, forMs) => {
      const now = clock.now();
      for (const [name, { until }] of watched) if (until + keptForMs < now) watched.delete(name);
      const known = watched.get(order);
      watched.delete(order);
      while (watched.size >= mostOrders) watched.delete(watched.keys().next().value ?? "");
      const until = now + forMs;
      lastUntil = Math.max(lastUntil, until);
      watched.set(order, { until, found: known?.found ?? wholeWord(order), exchanges: known?.exchanges ?? [] });
      begin();
    },
    isWanted: () => lastUntil > clock.now(),
    onWanted: (notify) => {
      begin = notify;
    },
    onExchange,
    following: (journal) => ({
      ...journal,
      settle: (...given) => {
        const [{ seq }, { state }, attempt] = given;
        // Read before the entry is settled, because afterwards it may already be deleted.
        if (lastUntil > 0 && lastUntil > clock.now()) onSettled(seq, state, attempt);
        return journal.settle(...given);
      },
    }),
    orders: () =>
      [...watched].map(([order, { until, exchanges }]) => ({
        ...{ order, until: new Date(until).toISOString(), exchanges: exchanges.length },
      })),
    exchanges: (order) => watched.get(order)?.exchanges ?? null,
  };
}

/** Matches the number only as a whole: as part of a longer number it is another order. */
const wholeWord = (order: string): RegExp =>
  new RegExp(`(?<![\\w-])${order.replace(/[$()*+.?[\\\]^{|}/-]/g, String.raw`\$&`)}(?![\\w-])`);

function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

/** Cuts a long text; the shown part begins a little before the order. */
function around(text: string, found: RegExp, bytes: number): string {
  if (text.length <= shownCharacters) return text;
  const from = Math.max(0, (found.exec(text)?.index ?? 0) - beforeMatch);
  const part = text.slice(from, from + shownCharacters);
  return `${from > 0 ? "…" : ""}${part}… (${bytes} bytes in all)`;
}
