import { existsSync } from "node:fs";
import { join } from "node:path";
import { openIntakeFile } from "../engine/quarantine/open-quarantine.ts";
import type { DropDecision, QuarantineFilter } from "../engine/quarantine/quarantine.ts";
import { silentLog } from "../kit/log.ts";
import { systemClock } from "../kit/time/clock.ts";
import { systemTimers } from "../kit/time/timers.ts";
import {
  type QuarantineDetailView,
  type QuarantinePageView,
  type QuarantineView,
  quarantineDetail,
  quarantineView,
} from "../server/admin/quarantine-routes.ts";

export type { QuarantineFilter } from "../engine/quarantine/quarantine.ts";
export type { QuarantineDetailView, QuarantinePageView, QuarantineView } from "../server/admin/quarantine-routes.ts";

/** The records in quarantine, read from a running adapter or from its file. */
export interface QuarantineAccess {
  readonly list: (filter: QuarantineFilter) => Promise<QuarantinePageView>;
  /** Null if there is no such record. */
  readonly show: (id: number) => Promise<QuarantineDetailView | null>;
  readonly drop: (id: number, decision: DropDecision) => Promise<QuarantineView | null>;
}

/** The quarantine of a data folder whose adapter is not running; null if it has none. */
export function openStoredQuarantine(dataFolder: string): (QuarantineAccess & { readonly close: () => void }) | null {
  if (!existsSync(join(dataFolder, "intake.db"))) return null;
  const needs = { dataFolder, clock: systemClock, timers: systemTimers, log: silentLog };
  const { quarantine, close } = openIntakeFile(needs);
  return {
    list: async (filter) => {
      const page = quarantine.list(filter);
      return { ...page, records: page.records.map((record) => quarantineView(record)) };
    },
    show: async (id) => {
      const detail = quarantine.show(id);
      return detail === null ? null : quarantineDetail(detail);
    },
    drop: async (id, decision) => {
      const dropped = quarantine.drop(id, decision);
      return dropped === null ? null : quarantineView(dropped);
    },
    close,
  };
}
