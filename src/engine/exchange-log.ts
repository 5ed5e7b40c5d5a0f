import type { Attempt } from "../journal/entry.ts";
import type { Exchange, KeptText } from "../journal/exchange.ts";
import type { Clock } from "../kit/clock.ts";
import type { Received, RecordSent, Sent } from "../sdk/record-sent.ts";
import { type Mask, maskedBody, maskedHeaders, maskedPlace } from "./mask-exchange.ts";

export interface ExchangeLog {
  readonly record: RecordSent;
  /** The status of the last answer, and all that was sent and answered so far; what comes later is not kept. */
  readonly whole: () => Pick<Attempt, "status" | "exchanges">;
  /** The status alone, for an event that was taken while the platform waited. */
  readonly brief: () => Pick<Attempt, "status">;
}

export interface ExchangeLogNeeds {
  readonly clock: Clock;
  /** Takes every secret of the configuration out of a text. */
  readonly maskSecrets?: Mask | undefined;
}

/** Kept of an event that is sent as hundreds of requests: where it began, and where it ended. */
const keptEnds = 10;
const textBytes = 16 * 1024;
/** For all texts of one attempt; the last exchange comes first, because it says why the attempt ended. */
const attemptBytes = 96 * 1024;
const placeLength = 4_000;
const headerLength = 500;
const mostHeaders = 60;
/** Masked with what is cut off behind it: else the beginning of a secret would be left at the cut. */
const overhang = 8 * 1024;

interface Noted {
  readonly sentAt: number;
  readonly sent: Sent;
  answer?: { readonly at: number; readonly received: Received };
}

/** Collects what one attempt sends. Only references are kept until somebody wants to store it: most attempts go well. */
export function exchangeLog({ clock, maskSecrets = (text) => text }: ExchangeLogNeeds): ExchangeLog {
  const noted: Noted[] = [];
  let leftOut = 0;
  let isOver = false;

  const record: RecordSent = (sent) => {
    const one: Noted = { sentAt: clock.now(), sent };
    if (isOver) return () => {};
    noted.push(one);
    if (noted.length > 2 * keptEnds) {
      noted.splice(keptEnds, 1);
      leftOut++;
    }
    return (received) => {
      if (!isOver) one.answer ??= { at: clock.now(), received };
    };
  };

  const brief = () => {
    const status = noted.findLast(({ answer }) => answer?.received.status !== undefined)?.answer?.received.status;
    return status === undefined ? {} : { status };
  };

  const whole = () => {
    isOver = true;
    if (noted.length === 0) return {};
    let budget = attemptBytes;
    const kept = (content: string | Uint8Array, mask: Mask): KeptText => {
      const text = keptText(content, mask, Math.min(textBytes, budget));
      budget -= Buffer.byteLength(text.text);
      return text;
    };
    const shown = (one: Noted): Exchange => {
      try {
        return exchangeOf(one, maskSecrets, kept);
      } catch {
        // Something else than was asked for; the delivery itself must not fail over what is kept of it.
        return { sentAt: one.sentAt, to: "(what was sent could not be kept)" };
      }
    };
    const exchanges = noted.toReversed().map(shown);
    exchanges.reverse();
    if (leftOut > 0) {
      const sentAt = exchanges[keptEnds]?.sentAt ?? 0;
      exchanges.splice(keptEnds, 0, { sentAt, to: `(${leftOut} more were sent and are not kept)` });
    }
    return { ...brief(), exchanges };
  };

  return { record, whole, brief };
}

type Keep = (content: string | Uint8Array, mask: Mask) => KeptText;

function exchangeOf({ sentAt, sent, answer }: Noted, maskSecrets: Mask, keep: Keep): Exchange {
  const own = sent.mask ?? ((text: string) => text);
  const mask: Mask = (text) => maskSecrets(own(text));
  const bounds = { mask, mostHeaders, headerLength };
  const received = answer?.received;
  return {
    sentAt,
    to: cut(maskedPlace(sent.to, mask), placeLength),
    ...(sent.headers === undefined ? {} : { headers: maskedHeaders(sent.headers, bounds) }),
    ...(sent.body === undefined ? {} : { body: keep(sent.body, mask) }),
    ...(answer === undefined || received === undefined
      ? {}
      : {
          answer: {
            ms: Math.max(0, answer.at - sentAt),
            ...(received.status === undefined ? {} : { status: received.status }),
            ...(received.headers === undefined ? {} : { headers: answerHeaders(received.headers, bounds) }),
            ...(received.body === undefined ? {} : { body: keep(received.body, mask) }),
          },
        }),
  };
}

/** The others are about the connection, or say nothing about this event. */
const toldHeaders =
  /^(content-type|content-length|content-language|date|location|retry-after|server|via|warning|www-authenticate|.*(request|correlation|trace)-?id|traceparent|x-ratelimit-.*)$/i;

function answerHeaders(
  headers: NonNullable<Received["headers"]>,
  bounds: Parameters<typeof maskedHeaders>[1],
): Record<string, string> {
  const told = Object.entries(headers).filter(([name, value]) => value !== undefined && toldHeaders.test(name));
  return maskedHeaders(Object.fromEntries(told.map(([name, value]) => [name, String(value)])), bounds);
}

function keptText(content: string | Uint8Array, mask: Mask, limit: number): KeptText {
  const bytes = typeof content === "string" ? Buffer.byteLength(content) : content.byteLength;
  // At least as many characters as are kept in bytes.
  const start =
    typeof content === "string"
      ? content.slice(0, limit + overhang)
      : new TextDecoder().decode(content.subarray(0, limit + overhang));
  const masked = maskedBody(start, mask);
  if (bytes <= limit && Buffer.byteLength(masked) <= limit) return { text: masked, bytes };
  const text = new TextDecoder().decode(Buffer.from(masked).subarray(0, limit), { stream: true });
  return { text, bytes };
}

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text);
