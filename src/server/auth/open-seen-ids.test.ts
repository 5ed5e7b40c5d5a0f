import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { silentLog } from "../../kit/log.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { systemTimers } from "../../kit/time/timers.ts";
import { openSeenIds } from "./open-seen-ids.ts";

function opener(maxIds = 1000) {
  const dataFolder = temporaryFolder();
  const clock = manualClock();
  const warnings: object[] = [];
  const log = { ...silentLog, warn: (facts: object) => void warnings.push(facts) };
  const open = () => openSeenIds({ dataFolder, clock, timers: systemTimers, log, maxIds });
  return { open, clock, warnings };
}

test("an id is new to one only, taken once it is kept, also after a restart, and free again when its time is over", async () => {
  const { open, clock } = opener();
  const first = open();
  expect([first.begin("a"), first.begin("a")]).toEqual(["new", "under way"]);
  await first.keep("a", clock.now() + 60_000);
  expect(first.begin("a")).toBe("taken");
  first.close();
  const second = open();
  expect(second.begin("a")).toBe("taken");
  clock.advance({ seconds: 61 });
  expect(second.begin("a")).toBe("new");
  second.close();
});

test("what was let go is new again; what was under way when the program died is new after the restart", () => {
  const { open } = opener();
  const first = open();
  first.begin("a");
  first.release("a");
  expect(first.begin("a")).toBe("new");
  first.close();
  const second = open();
  expect(second.begin("a")).toBe("new");
  second.close();
});

test("no more are kept than there is room for; those that end first go first, and the log says so", async () => {
  const { open, clock, warnings } = opener(10);
  const ids = open();
  for (let count = 0; count < 12; count++) {
    ids.begin(`id ${count}`);
    await ids.keep(`id ${count}`, clock.now() + 60_000 + count);
  }
  expect([ids.begin("id 0"), ids.begin("id 1"), ids.begin("id 2"), ids.begin("id 11")]).toEqual([
    "new",
    "new",
    "taken",
    "taken",
  ]);
  expect(warnings).not.toEqual([]);
  ids.close();
});
