import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { markMovedAway, refuseMovedFolder } from "./move-marks.ts";

test("a move to PostgreSQL that was killed at its very end is called finished, and not sent back", () => {
  const folder = temporaryFolder();
  markMovedAway(folder, { to: "postgres://me@host/crossdock", deployment: "wall" });
  mkdirSync(join(folder, "move.part"));
  const text = "the data of this folder was moved to postgres://me@host/crossdock, as deployment wall";
  expect(() => refuseMovedFolder(folder, null)).toThrow(text);
  expect(() => refuseMovedFolder(folder, "wall")).not.toThrow();
});
