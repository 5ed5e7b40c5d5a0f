import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openDatabase } from "../../../kit/sqlite/sqlite.ts";
import { newEntry } from "../../suite/journal-check.ts";
import { migrate } from "../migrations.ts";
import { writer } from "./writer.ts";

/** A writer whose replica stores everything, and whose own disk is full when it commits. */
function onFullDisk() {
  const real = openDatabase(join(temporaryFolder(), "crossdock.db"));
  migrate(real);
  let ahead = false;
  return writer({
    ...{ isBoot: false, projection: null, inherited: [], emissionTarget: null, newEntryId: () => "evt_1" },
    database: {
      ...real,
      exec: (sql: string) => {
        if (sql === "COMMIT") throw Object.assign(new Error("database or disk is full"), { errcode: 13 });
        real.exec(sql);
      },
    },
    replica: {
      begin: () => {
        ahead = false;
      },
      confirm: () => {
        ahead = true;
      },
      abandon: () => ahead,
    },
  });
}

test("what the replica has and the disk refuses is in doubt, and the journal must be opened again", () => {
  const doubtful = { isBroken: true, refusal: { isDoubtful: true, isDamage: false }, isAhead: true };
  expect(onFullDisk().write([{ name: "append", entries: [newEntry()], leaseToken: "" }])).toMatchObject(doubtful);
  expect(onFullDisk().staged(() => null, "now")).toMatchObject(doubtful);
});
