import { existsSync, mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { silentLog } from "../../kit/log.ts";
import { recoverFolder } from "./recover-folder.ts";
import { beginRestore, refuseUnfinished, removeStaged } from "./unfinished.ts";

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

test("whose backup is gone is told to delete the copy, but only while the restore has replaced nothing", () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "restore.part"));
  const again = "run it again: crossdock restore FOLDER --yes";
  const either = { next: `${again}; or delete restore.part` };
  expect(thrownBy(() => refuseUnfinished(folder))).toMatchObject(either);
  expect(thrownBy(() => recoverFolder(folder, { isMeant: false }))).toMatchObject(either);
  const finish = beginRestore(folder);
  expect(thrownBy(() => refuseUnfinished(folder))).toMatchObject({ next: again });
  expect(thrownBy(() => recoverFolder(folder, { isMeant: false }))).toMatchObject({ next: again });
  finish();
});

test("a copy that cannot be removed is named in the log, and the other one is removed", async () => {
  const dataFolder = temporaryFolder();
  const [kept, removed] = [join(dataFolder, "restore.part"), join(dataFolder, "move.part")];
  for (const folder of [kept, removed]) mkdirSync(folder);
  const refused = new Error("EBUSY");
  const warnings: (object | string)[][] = [];
  const log = { ...silentLog, warn: (fields: object, text: string) => void warnings.push([fields, text]) };
  const remove: typeof rm = async (path, options) => {
    if (path === kept) throw refused;
    await rm(path, options);
  };
  await removeStaged({ dataFolder, log, remove });
  expect(warnings).toEqual([
    [{ err: refused, folder: kept }, "what an interrupted restore or move has left cannot be removed"],
  ]);
  expect([existsSync(kept), existsSync(removed)]).toEqual([true, false]);
});
