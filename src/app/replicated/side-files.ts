import { alarmFile } from "../../engine/alarms/open-alarm-file.ts";
import { actionFile } from "../../engine/audit/open-action-log.ts";
import { fallbackFile } from "../../engine/fallback/open-fallback-file.ts";
import { figureFile } from "../../engine/figures/open-figures.ts";
import { intakeFile } from "../../engine/quarantine/open-quarantine.ts";
import type { SideFile } from "../../kit/sqlite/side-database.ts";
import { noteFile } from "../../runtime/connector-state.ts";
import { senderFile } from "../../server/auth/open-seen-ids.ts";

/** Every database beside the journal. All of them are stored in PostgreSQL. */
export const sideFiles: readonly SideFile[] = [
  intakeFile,
  noteFile,
  senderFile,
  alarmFile,
  actionFile,
  fallbackFile,
  figureFile,
];
