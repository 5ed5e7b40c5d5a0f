import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { silentLog as log } from "../../kit/log.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { openActionLog } from "./open-action-log.ts";

test("the action log survives a restart, newest first", async () => {
  const needs = { dataFolder: temporaryFolder(), clock: manualClock(), log };
  const first = openActionLog(needs);
  await first.add({ operator: "kim", action: "pause", subject: "erp", reason: "maintenance" });
  needs.clock.advance({ minutes: 5 });
  await first.add({ operator: "otto", action: "resume", subject: "erp", reason: null });
  first.close();
  const second = openActionLog(needs);
  expect(second.list(10)).toMatchObject([
    { operator: "otto", action: "resume", subject: "erp", reason: null },
    { operator: "kim", action: "pause", subject: "erp", reason: "maintenance" },
  ]);
  expect(second.list(1)).toHaveLength(1);
  second.close();
});
