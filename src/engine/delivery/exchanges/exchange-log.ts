import type { Attempt, Exchange, KeptText } from "../../../journal/entry.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import {
  longestOf,
  type MaskSecrets as Mask,
  type Received,
  type RecordSent,
  type Sent,
} from "../../../operation/record-sent.ts";
import { maskBodyByName, maskTextByName } from "../../../operation/secrets/mask-by-name.ts";
import { isSecretHeader } from "../../../operation/secrets/secret-names.ts";

const masked = "***";
interface HeaderBounds {
  readonly mask: Mask;
  readonly mostHeaders: number;
  readonly headerLength: number;
}

/** Masks headers by name, because signatures differ per request, and known secrets by value anywhere. */
function maskedHeaders(
  headers: Readonly<Record<string, string>>,
  { mask, mostHeaders, headerLength }: HeaderBounds,
): Record<string, string> {
  const given = Object.entries(headers).slice(0, mostHeaders);
  // Most requests have no secret in their values: one check of all values together avoids several checks of each.
  const all = given.map(([, value]) => value).join("\n");
  const isClean = maskedPlace(all, mask) === all;
  const shownValue = (value: string) => cutAt(isClean ? value : maskedPlace(value, mask), headerLength);
  const shown = given.map(
    ([name, value]) => [name, isSecretHeader(name) ? masked : shownValue(String(value))] as const,
  );
  return Object.fromEntries(shown);
}

/** The address without its password and keys. */
const maskedPlace = (to: string, mask: Mask): string => maskTextByName(mask(to));

/** A text without known secrets, and without what the name of its member marks as a secret. */
export const maskedBody = (text: string, mask: Mask): string => maskBodyByName(mask(text));

const cutAt = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text);

export interface ExchangeLog {
  readonly record: RecordSent;
  /** The status of the last answer, and everything sent and answered so far. Later exchanges are not recorded. */
  readonly whole: () => Pick<Attempt, "status" | "exchanges">;
  /** Only the status, for an event that was delivered while the platform waited. */
  readonly brief: () => Pick<Attempt, "status">;
  /** Whether there is more to show than one request and its answer: steps, or something that was skipped. */
  readonly hasNotes: () => boolean;
}

export interface ExchangeLogNeeds {
  readonly clock: Clock;
  /** Removes every secret of the configuration from a text. */
  readonly maskSecrets?: Mask | undefined;
}

/** How many exchanges are kept at the beginning and at the end, if an event is sent as hundreds of requests. */
const keptEnds = 10;
const textBytes = 16 * 1024;
/** Limit for all texts of one attempt. The last exchange is stored first, because it shows why the attempt ended. */
const attemptBytes = 96 * 1024;
const placeLength = 4_000;
const headerLength = 500;
const mostHeaders = 60;
/** At least as much beyond the cut is masked too: the value of a member that is known as a secret by its name. */
const leastOverhang = 8 * 1024;
/** No character of UTF-16 takes more. */
const mostBytesPerCharacter = 3;

interface Noted {
  readonly sentAt: number;
  readonly sent: Sent;
  answer?: { readonly at: number; readonly received: Received };
}

/** Collects what one attempt sends. It holds references only, because most attempts succeed and are not stored. */
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
        // The body cannot be read as expected. A failure to record must not fail the delivery.
        return { sentAt: one.sentAt, to: "(the request could not be recorded)" };
      }
    };
    const exchanges = noted.toReversed().map(shown);
    exchanges.reverse();
    if (leftOut > 0) {
      const sentAt = exchanges[keptEnds]?.sentAt ?? 0;
      exchanges.splice(keptEnds, 0, { sentAt, to: `(${leftOut} more were sent and are not recorded)` });
    }
    return { ...brief(), exchanges };
  };

  const hasNotes = () => noted.length > 1 || noted.some(({ sent }) => sent.skipped !== undefined);

  return { record, whole, brief, hasNotes };
}

type Keep = (content: string | Uint8Array, mask: Mask) => KeptText;

function exchangeOf({ sentAt, sent, answer }: Noted, maskSecrets: Mask, keep: Keep): Exchange {
  const own: Mask = sent.mask ?? ((text) => text);
  const both = (text: string) => maskSecrets(own(text));
  const mask: Mask = Object.assign(both, { longest: longestOf(own, maskSecrets) });
  const bounds = { mask, mostHeaders, headerLength };
  const received = answer?.received;
  return {
    sentAt,
    ...(sent.step === undefined ? {} : { step: sent.step }),
    ...(sent.skipped === undefined ? {} : { skipped: sent.skipped }),
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

/** The headers to store; all others concern the connection only. */
const keptHeaders =
  /^(content-type|content-length|content-language|date|location|retry-after|server|via|warning|www-authenticate|.*(request|correlation|trace)-?id|traceparent|x-ratelimit-.*)$/i;

function answerHeaders(
  headers: NonNullable<Received["headers"]>,
  bounds: Parameters<typeof maskedHeaders>[1],
): Record<string, string> {
  const kept = Object.entries(headers).filter(([name, value]) => value !== undefined && keptHeaders.test(name));
  return maskedHeaders(Object.fromEntries(kept.map(([name, value]) => [name, String(value)])), bounds);
}

/**
 * Masks the beginning of a text and keeps as much as the limit allows. More than that is masked: the end of what is
 * masked may be the first part of a secret, which is not recognised, and is left out.
 */
function keptText(content: string | Uint8Array, mask: Mask, limit: number): KeptText {
  const bytes = typeof content === "string" ? Buffer.byteLength(content) : content.byteLength;
  const overhang = Math.max(leastOverhang, longestOf(mask));
  // At least as many characters as bytes are kept.
  const length = limit + (typeof content === "string" ? 1 : mostBytesPerCharacter) * overhang;
  const isWhole = content.length <= length;
  const start =
    typeof content === "string" ? content.slice(0, length) : new TextDecoder().decode(content.subarray(0, length));
  const masked = maskedBody(start, mask);
  const sure = isWhole ? masked : masked.slice(0, -overhang);
  if (isWhole && bytes <= limit && Buffer.byteLength(sure) <= limit) return { text: sure, bytes };
  const text = new TextDecoder().decode(Buffer.from(sure).subarray(0, limit), { stream: true });
  return { text, bytes };
}

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text);
