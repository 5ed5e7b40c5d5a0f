import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { recoverFolder } from "./recover-folder.ts";
import { beginRestore, refuseUnfinished } from "./unfinished.ts";

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
