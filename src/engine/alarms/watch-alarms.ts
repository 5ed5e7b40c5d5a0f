import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { localise } from "../../messages/localise.ts";
import { type AlarmChange, type AlarmState, type Alert, alarmKey, type Condition } from "./alarm.ts";
import type { AlarmFile } from "./open-alarm-file.ts";

export interface AlarmWatchNeeds {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly file: AlarmFile;
  /** Returns all conditions that are true now. Called at every check, so that a changed configuration takes effect. */
  readonly conditions: () => readonly Condition[];
  /** Reads what the conditions need, without holding up other requests; runs before each regular check. */
  readonly prepare?: () => Promise<void>;
  readonly pace: () => Omit<AlarmPace, "now">;
  /** The names of the channels to alert. */
  readonly channels: () => readonly string[];
  readonly newAlertId: () => string;
  /** Called when there are alerts to send. */
  readonly onAlerts: () => void;
}

export interface AlarmWatch {
  /** Alarms that are raised and not cleared. */
  readonly raised: () => readonly AlarmState[];
  /** Checks now; otherwise it checks every few seconds. */
  readonly check: () => void;
  readonly stop: () => void;
}

const everyMs = 15_000;

/**
 * Checks all conditions every few seconds and alerts about changes. Continues with the states stored before a restart.
 */
export function watchAlarms(needs: AlarmWatchNeeds): AlarmWatch {
  const { clock, timers, log, file } = needs;
  let states = new Map(file.states().map((state) => [alarmKey(state), state]));
  let cancel = () => {};
  let isStopped = false;

  const check = () => {
    let found: Map<string, Condition>;
    try {
      found = new Map(needs.conditions().map((condition) => [alarmKey(condition), condition]));
    } catch (error) {
      // A failed check neither clears nor raises an alarm; the next check decides.
      log.error({ err: error }, "the alarm check failed");
      return;
    }
    const pace = { ...needs.pace(), now: clock.now() };
    const next = new Map<string, AlarmState>();
    const alerts: Alert[] = [];
    for (const key of new Set([...states.keys(), ...found.keys()])) {
      const before = states.get(key) ?? null;
      const { state, change } = nextState(before, found.get(key) ?? null, pace);
      if (state !== null) next.set(key, state);
      const alarm = state ?? before;
      if (change !== null && alarm !== null) alerts.push(alertOf(alarm, change, pace.now));
    }
    states = next;
    file.store([...next.values()], alerts, needs.channels());
    for (const alert of alerts) report(alert);
    if (alerts.length > 0) needs.onAlerts();
  };

  const alertOf = ({ kind, subject, text, entries, since }: AlarmState, change: AlarmChange, at: number): Alert => ({
    id: needs.newAlertId(),
    change,
    at,
    alarm: { kind, subject, text, entries, since },
  });

  const report = ({ id, change, alarm: { kind, subject, text } }: Alert) => {
    const fields = { alert: id, alarm: kind, subject, text: localise(text, "en") };
    if (change === "cleared") log.info(fields, "alarm cleared");
    else log.warn(fields, change === "raised" ? "alarm raised" : "alarm still active");
  };

  const checkAndWait = () => {
    if (isStopped) return;
    check();
    if (!isStopped) cancel = timers.after(everyMs, again);
  };
  const again = () => {
    if (needs.prepare === undefined) return checkAndWait();
    // The check runs even if the preparation failed: it fails at the same data and reports that.
    void needs
      .prepare()
      .catch(() => {})
      .then(checkAndWait);
  };
  cancel = timers.after(0, again);

  return {
    raised: () => [...states.values()].filter(({ raisedAt }) => raisedAt !== null),
    check,
    stop: () => {
      isStopped = true;
      cancel();
    },
  };
}

interface AlarmPace {
  readonly now: number;
  /** How long a condition has to be gone before its alarm is cleared, so that an intermittent problem is one alarm. */
  readonly clearAfterMs: number;
  /** Interval between reminders; 0: no reminders. */
  readonly remindAfterMs: number;
}

interface NextState {
  /** Null if nothing has to be stored any more. */
  readonly state: AlarmState | null;
  /** The alert to send; null: none. */
  readonly change: AlarmChange | null;
}

/** The state of one alarm from one check to the next: raised once, repeated as a reminder, cleared once. */
export function nextState(before: AlarmState | null, condition: Condition | null, pace: AlarmPace): NextState {
  if (condition === null) return before === null ? nothing : gone(before, pace);
  const { now, remindAfterMs } = pace;
  const { kind, subject, text, entries = [], raiseAfterMs = 0, isQuiet = false } = condition;
  // After the clock was set back, a time in the future would delay the alarm until it is reached.
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
  // No alert was sent when the condition began, so none is sent when it ends.
  if (before.raisedAt === null) return nothing;
  const goneSince = Math.min(before.goneSince ?? now, now);
  if (now - goneSince >= clearAfterMs) return { state: null, change: "cleared" };
  return { state: { ...before, goneSince }, change: null };
}
