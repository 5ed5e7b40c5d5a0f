import { pathSegment } from "../../contract/admin/path-segment.ts";
import type { Language } from "../../messages/languages.ts";
import type { Message } from "../../messages/message.ts";

/**
 * What can be wrong. Each kind has its paragraph in docs/how-to/alarms.md; a test checks that the two lists are equal.
 */
export const alarmKinds = [
  "silence",
  "source",
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

/** A condition that is true now, found by one check. */
export interface Condition {
  readonly kind: AlarmKind;
  /** The target, flow or certificate concerned; empty if there can be only one. */
  readonly subject: string;
  readonly text: Message;
  /** How long the condition has to last before an alarm is raised. Absent: it is raised at once. */
  readonly raiseAfterMs?: number;
  /** No reminders are sent at the moment. */
  readonly isQuiet?: boolean;
  /** Some of the entries concerned, the newest first. */
  readonly entries?: readonly AlarmEntry[];
}

/** An entry whose delivery failed permanently, with enough detail to decide how urgent it is. */
export interface AlarmEntry {
  readonly seq: number;
  readonly id: string;
  readonly orders: readonly string[];
  /** The event in words, and its operation. */
  readonly event: string;
  readonly topic: string;
  readonly target: string;
  /** The last answer of the external system, or the error that prevented one. */
  readonly lastAnswer: string;
  readonly receivedAt: number;
}

/** The state of a condition; it survives a restart. */
export interface AlarmState {
  readonly kind: AlarmKind;
  readonly subject: string;
  readonly text: Message;
  readonly entries: readonly AlarmEntry[];
  /** When the condition was first seen. */
  readonly since: number;
  /** When the alarm was raised; null while the condition has not lasted long enough. */
  readonly raisedAt: number | null;
  /** When the last alert was sent. */
  readonly alertedAt: number | null;
  /** When the condition ended; null while it lasts. */
  readonly goneSince: number | null;
}

export type AlarmChange = "raised" | "still" | "cleared";

/** One notification about an alarm. */
export interface Alert {
  readonly id: string;
  readonly change: AlarmChange;
  readonly at: number;
  readonly alarm: Pick<AlarmState, "subject" | "text" | "entries" | "since"> & {
    /** `test`: somebody is testing the channels. */
    readonly kind: AlarmKind | "test";
  };
}

/**
 * A line break is a safe separator: names of connectors and senders are checked, and all other subjects are our own.
 */
export const alarmKey = ({ kind, subject }: Pick<Condition, "kind" | "subject">): string => `${kind}\n${subject}`;

const formats = new Map<string, Intl.DateTimeFormat>();

/** `2026-01-05 09:41` in local time: reads the same in every language. */
export function wallTime(at: number, timeZone: string): string {
  let format = formats.get(timeZone);
  if (format === undefined) {
    // Swedish writes dates in this order.
    format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
    formats.set(timeZone, format);
  }
  return format.format(at);
}

/** A way to send alerts: mail, webhook. */
export interface AlertChannel {
  /**
   * Resolves when the recipient has accepted the alert, else throws. The same alert may be sent twice, with the same
   * id.
   */
  readonly send: (alert: Alert, signal: AbortSignal) => Promise<void>;
  readonly close: () => void;
}

/** How alerts are formatted. */
export interface AlertStyle {
  readonly language: Language;
  readonly timeZone: string;
  /** The public address of the adapter, without a slash at the end. */
  readonly publicUrl: string;
}

/** The timeline page of an order; opening it requires the API key. */
export const timelineLink = (publicUrl: string, order: string): string =>
  `${publicUrl}/admin/orders/${pathSegment(order)}/timeline?format=text`;
