import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { silentLog } from "../../kit/log.ts";
import { foldsEnded } from "../../kit/sqlite/synced-log.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { systemTimers } from "../../kit/time/timers.ts";
import { openIntakeFile } from "./open-quarantine.ts";

test("the log stays short while a source is read day after day in which nothing is new", async () => {
  const dataFolder = temporaryFolder();
  const clock = manualClock();
  const file = openIntakeFile({ dataFolder, clock, timers: systemTimers, log: silentLog });
  const log = join(dataFolder, "intake.db-wal");
  const records = Array.from({ length: 1_000 }, (_, nth) => ({
    ...{ source: "erp", topic: "items" as const, number: `A-${nth}`, part: "", digest: `${nth}` },
  }));
  file.knownRecords.remember(records);
  const logBytes = () => (existsSync(log) ? statSync(log).size : 0);
  for (let day = 0; day < 8; day++) {
    clock.advance({ days: 2 });
    for (const record of records) {
      expect(file.knownRecords.isKnown(record, "compared")).toBe(true);
      await nextTurn();
    }
    file.knownRecords.missed("erp", { topic: "items", origin: "", startedAt: clock.now() });
  }
  // It is folded beyond 8 MiB, and what is written meanwhile stays. Without folds it has more than 60 MiB.
  await expect.poll(logBytes, { timeout: 20_000 }).toBeLessThan(20 * 2 ** 20);
  file.close();
  await foldsEnded(dataFolder);
}, 60_000);
