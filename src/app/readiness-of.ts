import type { IslandState } from "../engine/island/guard-asks.ts";
import type { Readiness, ReadyAlarm } from "../http/health-routes.ts";

/** Whether traffic should come here, as it stands now; what is silent or raised beside it is told, and is no reason. */
export function readinessOf(now: {
  readonly isClosing: boolean;
  /** Why nothing can be written down any more; null while it can. */
  readonly journalFailure: string | null;
  /** Why the disk refused the last write; null where it was stored. */
  readonly refusedWrite: string | null;
  /** What was found damaged in the database while it runs; null where nothing was. */
  readonly damage: string | null;
  readonly isDiskFull: boolean;
  readonly island: readonly IslandState[];
  readonly alarms: readonly ReadyAlarm[];
}): Readiness {
  const { journalFailure, alarms } = now;
  const reasons = [
    ...(now.isClosing ? ["stopping"] : []),
    ...(journalFailure === null ? [] : [`${journalFailure}; restart it`]),
    ...(now.refusedWrite === null || now.isDiskFull ? [] : [`events cannot be stored: ${now.refusedWrite}`]),
    ...(now.damage === null
      ? []
      : [`the database is damaged: ${now.damage}; stop the adapter and run crossdock journal recover`]),
    ...(now.isDiskFull ? ["the disk of the data folder is full"] : []),
  ];
  const island = now.island.map((state) => ({ ...state, since: new Date(state.since).toISOString() }));
  return {
    ready: reasons.length === 0,
    reasons,
    ...(island.length === 0 ? {} : { island }),
    ...(alarms.length === 0 ? {} : { alarms }),
  };
}
