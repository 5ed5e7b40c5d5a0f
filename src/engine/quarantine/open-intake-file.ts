import { join } from "node:path";
import type { Clock } from "../../kit/clock.ts";
import type { Log } from "../../kit/log.ts";
import { openSideDatabase } from "../../kit/side-database.ts";
import type { Timers } from "../../kit/timers.ts";
import { openQuarantine } from "./open-quarantine.ts";
import { openSeen, type Seen } from "./open-seen.ts";
import type { Quarantine } from "./quarantine.ts";

export interface IntakeFile {
  readonly quarantine: Quarantine;
  readonly seen: Seen;
  readonly close: () => void;
}

/** What was kept back and what was seen before. A file of its own: the journal has one writer, and it is not us. */
export function openIntakeFile(needs: {
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}): IntakeFile {
  const database = openSideDatabase({
    ...{ file: join(needs.dataFolder, "intake.db"), log: needs.log },
    withoutIt: "records that were kept back are gone until they come again; what comes again is taken once more",
  });
  // Safe against a crash of the program; a power failure may cost the last moments, which are then seen once more.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 16777216");
  const quarantine = openQuarantine({ ...needs, database });
  const seen = openSeen({ ...needs, database });
  return {
    quarantine,
    seen,
    close: () => {
      quarantine.flush();
      database.close();
    },
  };
}
