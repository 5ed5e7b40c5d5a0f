import fc from "fast-check";
import { expect, test } from "vitest";
import { newFolder, removeFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { silentLog } from "../../kit/log.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import { say } from "../../messages/message.ts";
import type { Condition } from "./alarm.ts";
import { flowMarks } from "./flow-watch.ts";
import { openAlarmFile } from "./open-alarm-file.ts";
import { watchAlarms } from "./watch-alarms.ts";

const wrong = (subject: string): Condition => ({
  kind: "circuit",
  subject,
  text: say("alarms.circuit", { target: subject, count: 3 }),
});

/** One run of the adapter: from opening the file to closing it. */
function life(folder: string, clock = manualClock()) {
  const timers = manualTimers(clock);
  const file = openAlarmFile({ dataFolder: folder, log: silentLog });
  let found: Condition[] | Error = [];
  let ids = 0;
  const watch = watchAlarms({
    ...{ clock, timers, log: silentLog, file },
    conditions: () => {
      if (found instanceof Error) throw found;
      return found;
    },
    pace: () => ({ clearAfterMs: 60_000, remindAfterMs: 3_600_000 }),
    channels: () => ["email"],
    newAlertId: () => `alert_${clock.now()}_${++ids}`,
    onAlerts: () => {},
  });
  return {
    ...{ clock, timers, file, watch },
    set: (next: Condition[] | Error) => {
      found = next;
    },
    /** Returns the alerts that wait to be sent, oldest first, and removes them from the file. */
    taken: () => {
      const changes: string[] = [];
      for (let first = file.first("email"); first !== null; first = file.first("email")) {
        changes.push(`${first.alert.change} ${first.alert.alarm.subject}`);
        file.remove(first.row);
      }
      return changes;
    },
    end: () => {
      watch.stop();
      file.close();
    },
  };
}

test("it checks every 15 seconds, and its findings are available at once", async () => {
  const { timers, set, watch, taken, end } = life(temporaryFolder());
  await timers.pass(0);
  expect(watch.raised()).toEqual([]);
  set([wrong("erp")]);
  await timers.pass(15_000);
  expect(watch.raised()).toMatchObject([{ kind: "circuit", subject: "erp" }]);
  expect(taken()).toEqual(["raised erp"]);
  end();
});

test("after a restart nothing is reported again, and what ended meanwhile is reported as over", () => {
  const folder = temporaryFolder();
  const first = life(folder);
  first.set([wrong("erp"), wrong("wms")]);
  first.watch.check();
  expect(first.taken()).toEqual(["raised erp", "raised wms"]);
  first.end();
  const second = life(folder, first.clock);
  expect(second.watch.raised()).toHaveLength(2);
  second.set([wrong("erp")]);
  second.watch.check();
  second.clock.advance({ minutes: 2 });
  second.watch.check();
  expect(second.taken()).toEqual(["cleared wms"]);
  second.end();
});

test("an alert that was not sent before a stop is sent after the next start", () => {
  const folder = temporaryFolder();
  const first = life(folder);
  first.set([wrong("erp")]);
  first.watch.check();
  first.end();
  const second = life(folder, first.clock);
  expect(second.taken()).toEqual(["raised erp"]);
  second.end();
});

test("if the check fails, no alarm is raised and none is cleared", () => {
  const { set, watch, clock, taken, end } = life(temporaryFolder());
  set([wrong("erp")]);
  watch.check();
  set(new Error("the journal cannot be read"));
  for (let turn = 0; turn < 5; turn++) {
    clock.advance({ minutes: 10 });
    watch.check();
  }
  expect(taken()).toEqual(["raised erp"]);
  expect(watch.raised()).toHaveLength(1);
  end();
});

test("restarts at any moment do not change what is reported", () => {
  const step = fc.record({ isWrong: fc.boolean(), isRestart: fc.boolean(), minutes: fc.integer({ min: 0, max: 70 }) });
  const told = (steps: readonly { isWrong: boolean; isRestart: boolean; minutes: number }[], restarts: boolean) => {
    const folder = newFolder();
    let now = life(folder);
    const all: string[] = [];
    for (const { isWrong, isRestart, minutes } of steps) {
      if (isRestart && restarts) {
        now.end();
        now = life(folder, now.clock);
      }
      now.clock.advance({ minutes });
      now.set(isWrong ? [wrong("erp")] : []);
      now.watch.check();
      all.push(...now.taken().map((change) => `${now.clock.now()} ${change}`));
    }
    now.end();
    removeFolder(folder);
    return all;
  };
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      expect(told(steps, true)).toEqual(told(steps, false));
    }),
    { numRuns: 40 },
  );
});

test("at most a thousand alerts wait: the newest are worth more than the oldest", () => {
  const { file, end } = life(temporaryFolder());
  const alarm = {
    kind: "disk" as const,
    subject: "",
    text: say("alarms.disk.low", { freeMiB: 1 }),
    entries: [],
    since: 0,
  };
  for (let at = 1; at <= 1_005; at++) file.store([], [{ id: `alert_${at}`, change: "raised", at, alarm }], ["email"]);
  expect(file.waitingCount()).toBe(1_000);
  expect(file.first("email")?.alert.id).toBe("alert_6");
  end();
});

test("the time of the last arrival survives a restart, and so does the start of a silence", () => {
  const folder = temporaryFolder();
  const clock = manualClock();
  const first = openAlarmFile({ dataFolder: folder, log: silentLog });
  const marks = flowMarks({ clock, file: first });
  const since = marks.watchedSince("orders");
  clock.advance({ minutes: 5 });
  marks.note("workOrders", "shop");
  const seenAt = clock.now();
  clock.advance({ minutes: 5 });
  marks.note("workOrders", "erp");
  marks.flush();
  first.close();
  const second = openAlarmFile({ dataFolder: folder, log: silentLog });
  clock.advance({ days: 1 });
  const again = flowMarks({ clock, file: second });
  expect([again.watchedSince("orders"), again.last("workOrders", "shop")]).toEqual([since, seenAt]);
  expect(again.last("workOrders")).toBe(seenAt + 300_000);
  expect([again.last("workOrders", "nobody"), again.last("stock")]).toEqual([null, null]);
  second.close();
});

test("names without end take no memory without end", () => {
  const clock = manualClock();
  const marks = flowMarks({
    clock,
    file: { marks: () => new Map(), storeMarks: (all) => expect([...all].length).toBeLessThan(600) },
  });
  for (let name = 0; name < 10_000; name++) marks.note("workOrders", `sender ${name}`);
  marks.flush();
  expect(marks.last("workOrders")).toBe(clock.now());
});
