import type { Language } from "../../messages/languages.ts";
import type { Message } from "../../messages/message.ts";

/** What can be wrong. Each has its paragraph in docs/how-to/alarms.md; a test holds the two equal. */
export const alarmKinds = [
  "silence",
  "stuck",
  "circuit",
  "refused",
  "gaveUp",
  "quarantine",
  "unit",
  "expiry",
  "disk",
  "journal",
] as const;
export type AlarmKind = (typeof alarmKinds)[number];

/** What is wrong now, as one look found it. */
export interface Condition {
  readonly kind: AlarmKind;
  /** Whom or what it is about: a target, a flow, a certificate; empty where there is only one. */
  readonly subject: string;
  readonly text: Message;
  /** How long it has to last before anybody is told; absent: not at all. */
  readonly raiseAfterMs?: number;
  /** Nobody is to be reminded now. */
  readonly isQuiet?: boolean;
  /** The entries it is about, the newest first; a few of them. */
  readonly entries?: readonly AlarmEntry[];
}

/** An entry that waits for a person, with all that is needed to decide whether to get up at night. */
export interface AlarmEntry {
  readonly seq: number;
  readonly id: string;
  readonly orders: readonly string[];
  /** The event in words, and its operation. */
  readonly event: string;
  readonly topic: string;
  readonly target: string;
  /** What the external system said last, or what went wrong on the way to it. */
  readonly lastAnswer: string;
  readonly receivedAt: number;
}

/** What is remembered of a condition, also across a restart. */
export interface AlarmState {
  readonly kind: AlarmKind;
  readonly subject: string;
  readonly text: Message;
  readonly entries: readonly AlarmEntry[];
  /** Since when it has been so. */
  readonly since: number;
  /** When it was raised; null while it has not lasted long enough. */
  readonly raisedAt: number | null;
  /** When somebody was told last. */
  readonly alertedAt: number | null;
  /** Since when it has not been so any more; null while it is. */
  readonly goneSince: number | null;
}

export type AlarmChange = "raised" | "still" | "cleared";

/** What somebody is told. */
export interface Alert {
  readonly id: string;
  readonly change: AlarmChange;
  readonly at: number;
  readonly alarm: Pick<AlarmState, "kind" | "subject" | "text" | "entries" | "since">;
}

/** No subject has a line break in it: names of connectors and senders are checked, the others are ours. */
export const alarmKey = ({ kind, subject }: Pick<Condition, "kind" | "subject">): string => `${kind}\n${subject}`;

const formats = new Map<string, Intl.DateTimeFormat>();

/** `2026-01-05 09:41` as the clock on the wall shows it: read the same way in every language. */
export function wallTime(at: number, timeZone: string): string {
  let format = formats.get(timeZone);
  if (format === undefined) {
    // Swedish writes dates in this order.
    format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
    formats.set(timeZone, format);
  }
  return format.format(at);
}

/** A way to tell somebody. */
export interface AlertChannel {
  /** Resolves when the other side has taken it, else throws. The same alert may come twice, under the same id. */
  readonly send: (alert: Alert, signal: AbortSignal) => Promise<void>;
  readonly close: () => void;
}

/** How alerts are written. */
export interface AlertStyle {
  readonly language: Language;
  readonly timeZone: string;
  /** Where people reach the adapter, without a slash at the end. */
  readonly publicUrl: string;
}

/** Where a person sees everything about an order; needs the key. */
export const timelineLink = (publicUrl: string, order: string): string =>
  `${publicUrl}/admin/orders/${encodeURIComponent(order)}/timeline?format=text`;
