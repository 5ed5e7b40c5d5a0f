import type { CommandGroup } from "../command.ts";
import { journalBackupCommand } from "./journal-backup.ts";
import { journalEditCommand } from "./journal-edit.ts";
import { journalExplainCommand } from "./journal-explain.ts";
import { journalExportCommand } from "./journal-export.ts";
import { journalListCommand } from "./journal-list.ts";
import { journalRecoverCommand } from "./journal-recover.ts";
import { journalReplayCommand, journalRetryCommand, journalSkipCommand } from "./journal-redo.ts";
import { journalShowCommand } from "./journal-show.ts";
import { journalTimelineCommand } from "./journal-timeline.ts";

export const journalCommands: CommandGroup = {
  name: "journal",
  summary: "see what was received and delivered, and decide about what got stuck",
  details:
    "Speaks to the adapter that runs on the data folder, or at --url, with the key of the folder or CROSSDOCK_API_KEY. " +
    "Where none runs, list, show, timeline and explain read the journal file itself.",
  commands: [
    journalListCommand,
    journalShowCommand,
    journalTimelineCommand,
    journalExplainCommand,
    journalRetryCommand,
    journalEditCommand,
    journalSkipCommand,
    journalReplayCommand,
    journalExportCommand,
    journalBackupCommand,
    journalRecoverCommand,
  ],
};
