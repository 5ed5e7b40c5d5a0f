import type { Entry } from "../../journal/entry.ts";
import { type AnswerView, answerView } from "./answer-view.ts";
import { describeEvent } from "./describe-event.ts";
import { entryContent } from "./entry-content.ts";
import { maskEmail, maskPersonal } from "./mask-personal.ts";
import { isUnsent, nothingDescribed, type ShownState, shownState } from "./shown-state.ts";

export interface Privacy {
  /** Whether operators' addresses may be shown. */
  readonly showPersonal: boolean;
}

/** An entry as a list shows it: no body. Times are ISO 8601 in UTC. */
export interface EntryView {
  readonly seq: number;
  readonly id: string;
  readonly receivedAt: string;
  readonly direction: "out" | "in";
  readonly topic: string;
  readonly text: string;
  readonly state: ShownState;
  readonly reason: string | null;
  readonly target: string | null;
  /** Who pushed it: a sender, a connector that found it, or `key` for whoever has the API key. */
  readonly sender: string | null;
  readonly orders: readonly string[];
  readonly containers: readonly string[];
  readonly items: readonly string[];
  readonly operator: string | null;
  readonly answer: AnswerView | null;
  readonly answeredAt: string | null;
  readonly deliveredAt: string | null;
  readonly nextAttemptAt: string | null;
  readonly attempts: number;
  readonly targetFailures: number;
  readonly replays: number;
  readonly possibleRepeatOf: number | null;
}

export function entryView(entry: Entry, { showPersonal }: Privacy): EntryView {
  const { value, orders, containers, items, operator } = entryContent(entry);
  const text = describeEvent(entry.topic, value);
  return {
    seq: entry.seq,
    id: entry.id,
    receivedAt: isoTime(entry.receivedAt),
    direction: entry.direction,
    topic: entry.topic,
    text: showPersonal ? text : maskPersonal(text),
    state: shownState(entry),
    reason: isUnsent(entry) ? nothingDescribed : entry.reason,
    target: entry.target,
    sender: entry.sender,
    orders,
    containers,
    items,
    operator: operator === null || showPersonal ? operator : maskEmail(operator),
    answer: answerView(entry.answer),
    answeredAt: timeOrNull(entry.answeredAt),
    deliveredAt: timeOrNull(entry.deliveredAt),
    nextAttemptAt: timeOrNull(entry.nextAt),
    attempts: entry.attempts,
    targetFailures: entry.targetFailures,
    replays: entry.replays,
    possibleRepeatOf: entry.suspectOf,
  };
}

export const isoTime = (ms: number): string => new Date(ms).toISOString();
const timeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));
