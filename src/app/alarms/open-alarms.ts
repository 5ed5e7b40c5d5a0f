import type { Config } from "../../config/config-schema.ts";
import type { Condition } from "../../engine/alarms/alarm.ts";
import {
  adapterConditions,
  type Expiry,
  entryConditions,
  silenceConditions,
  targetConditions,
} from "../../engine/alarms/alarm-conditions.ts";
import { type EntryTexts, entryTexts } from "../../engine/alarms/entry-texts.ts";
import { type FlowMarks, flowMarks } from "../../engine/alarms/flow-watch.ts";
import { openAlarmFile } from "../../engine/alarms/open-alarm-file.ts";
import { type SourceFailures, sourceFailures } from "../../engine/alarms/source-failures.ts";
import { type AlarmWatch, watchAlarms } from "../../engine/alarms/watch-alarms.ts";
import type { Outbox } from "../../engine/delivery/outbox.ts";
import type { OrderRecords } from "../../engine/journal-view/order-records.ts";
import type { Quarantine } from "../../engine/quarantine/quarantine.ts";
import type { Journal } from "../../journal/journal.ts";
import type { DiskWatch } from "../../journal/watch-disk.ts";
import { newId } from "../../kit/ids.ts";
import type { SideDatabaseOptions } from "../../kit/sqlite/side-database.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { Snapshot } from "../../runtime/snapshot.ts";
import type { ReadyAlarm } from "../../server/ops/health-routes.ts";
import { expiriesIn } from "./expiries-in.ts";
import { alertSender } from "./send-alerts.ts";

export interface AlarmsNeeds extends SideDatabaseOptions {
  /** Read once per check. */
  readonly current: () => Pick<Snapshot, "config" | "channels" | "users">;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly journal: Pick<Journal, "failure" | "trouble" | "read">;
  readonly quarantine: Quarantine;
  readonly disk: Pick<DiskWatch, "state" | "freeBytes">;
  readonly orders: Pick<OrderRecords, "doubtful">;
}

export interface Alarms {
  /** Records when regularly expected things arrive. */
  readonly flows: FlowMarks;
  /** Records which polls and watched folders fail. */
  readonly failures: Pick<SourceFailures, "note">;
  /** Starts the periodic check. Everything that the check reads must be open by then. */
  readonly watch: (outbox: Pick<Outbox, "overview">) => void;
  readonly raised: () => readonly ReadyAlarm[];
  /** Checks now; this also happens every few seconds. */
  readonly check: () => void;
  readonly close: () => Promise<void>;
}

/** Certificates change rarely; reading the files at every check would be wasteful. */
const expiriesEveryMs = 600_000;

/** Opens all parts of the alarms: conditions, channels and the file that remembers raised alarms. */
export function openAlarms(needs: AlarmsNeeds): Alarms {
  const { current, clock, timers, log, journal, quarantine, disk, orders } = needs;
  const file = openAlarmFile(needs);
  const flows = flowMarks({ clock, file });
  const lasting = file.states().filter(({ kind, goneSince }) => kind === "source" && goneSince === null);
  const failures = sourceFailures({ clock, before: new Map(lasting.map(({ subject, since }) => [subject, since])) });
  const texts = entryTexts(journal.read);
  const expiriesOf = keptExpiries(clock);
  const startedAt = clock.now();
  let watch: AlarmWatch | null = null;
  const channels = () => current().channels.byName;
  const hold = (work: Promise<void>) => current().users.during(work);
  const sender = alertSender({ file, channels, hold, clock, timers, log });

  const conditions = (outbox: Pick<Outbox, "overview">): Condition[] => {
    const { config } = current();
    const { alarms, timeZone } = config;
    const now = clock.now();
    const found = [
      ...silenceConditions({ rules: alarms.silence, flows, now, hours: alarms.workingHours, timeZone }),
      ...failures.conditions({ timeZone, minutes: alarms.sourceFailingMinutes }),
      ...targetConditions({ ...alarms, targets: outbox.overview(), flows, now, startedAt, timeZone }),
      ...readableEntries(journal, texts),
      ...adapterConditions({
        ...{ quarantine, diskState: disk.state(), freeBytes: disk.freeBytes(), journalFailure: journal.failure() },
        ...{ doubtful: orders.doubtful(), journalTrouble: journal.trouble() },
        ...{ expiries: expiriesOf(config), expiryDays: alarms.expiryDays, now, timeZone },
      }),
    ];
    flows.flush();
    return found.filter(({ kind }) => !alarms.off.includes(kind));
  };

  return {
    flows,
    failures,
    watch: (outbox) => {
      watch = watchAlarms({
        ...{ clock, timers, log, file, channels: () => [...channels().keys()], onAlerts: sender.send },
        prepare: texts.prepare,
        conditions: () => conditions(outbox),
        pace: () => {
          const { clearAfterMinutes, remindAfterHours } = current().config.alarms;
          return { clearAfterMs: clearAfterMinutes * 60_000, remindAfterMs: remindAfterHours * 3_600_000 };
        },
        newAlertId: () => `alert_${newId(clock)}`,
      });
      // Sends alerts that were left over at the last stop.
      sender.send();
    },
    raised: () =>
      (watch?.raised() ?? []).map(({ kind, subject, since, text }) => ({
        ...{ alarm: kind, subject, text },
        since: new Date(since).toISOString(),
      })),
    check: () => watch?.check(),
    close: async () => {
      watch?.stop();
      await sender.stop();
      flows.flush();
      file.close();
    },
  };
}

/**
 * Returns the conditions of the entries, or none if the journal is damaged. A damaged journal raises an alarm of its
 * own, which would be missing if the whole check failed.
 */
function readableEntries(journal: AlarmsNeeds["journal"], texts: EntryTexts): Condition[] {
  try {
    return entryConditions(journal.read, texts);
  } catch (error) {
    if (journal.trouble().damage === null) throw error;
    return [];
  }
}

function keptExpiries(clock: Clock): (config: Config) => readonly Expiry[] {
  let kept: { readonly config: Config; readonly at: number; readonly found: readonly Expiry[] } | null = null;
  return (config) => {
    const now = clock.now();
    if (kept?.config !== config || now - kept.at >= expiriesEveryMs || now < kept.at) {
      kept = { config, at: now, found: expiriesIn(config) };
    }
    return kept.found;
  };
}
