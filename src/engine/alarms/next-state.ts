import type { AlarmChange, AlarmState, Condition } from "./alarm.ts";

export interface AlarmPace {
  readonly now: number;
  /** How long a condition has to be gone before its alarm is cleared: one that comes and goes is one alarm. */
  readonly clearAfterMs: number;
  /** After how long somebody is told again; 0: never. */
  readonly remindAfterMs: number;
}

export interface NextState {
  /** Null where there is nothing to remember any more. */
  readonly state: AlarmState | null;
  /** What somebody has to be told; null: nothing. */
  readonly change: AlarmChange | null;
}

/** One alarm from one look to the next: raised once, told again after a while, cleared once. */
export function nextState(before: AlarmState | null, condition: Condition | null, pace: AlarmPace): NextState {
  if (condition === null) return before === null ? nothing : gone(before, pace);
  const { now, remindAfterMs } = pace;
  const { kind, subject, text, entries = [], raiseAfterMs = 0, isQuiet = false } = condition;
  // After the clock was set back, a time to come would hold the alarm up until it comes.
  const since = Math.min(before?.since ?? now, now);
  const state = { kind, subject, text, entries, since, goneSince: null };
  const raisedAt = before?.raisedAt ?? null;
  if (raisedAt === null) {
    if (now - since < raiseAfterMs) return { state: { ...state, raisedAt: null, alertedAt: null }, change: null };
    return { state: { ...state, raisedAt: now, alertedAt: now }, change: "raised" };
  }
  const alertedAt = Math.min(before?.alertedAt ?? now, now);
  if (remindAfterMs === 0 || isQuiet || now - alertedAt < remindAfterMs) {
    return { state: { ...state, raisedAt, alertedAt }, change: null };
  }
  return { state: { ...state, raisedAt, alertedAt: now }, change: "still" };
}

const nothing: NextState = { state: null, change: null };

function gone(before: AlarmState, { now, clearAfterMs }: AlarmPace): NextState {
  // Nobody was told of it, so nobody needs to hear that it is over.
  if (before.raisedAt === null) return nothing;
  const goneSince = Math.min(before.goneSince ?? now, now);
  if (now - goneSince >= clearAfterMs) return { state: null, change: "cleared" };
  return { state: { ...before, goneSince }, change: null };
}
