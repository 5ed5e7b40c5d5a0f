import fc from "fast-check";
import { expect, test } from "vitest";
import { say } from "../../messages/message.ts";
import type { AlarmState, Condition } from "./alarm.ts";
import { nextState } from "./watch-alarms.ts";

const pace = { clearAfterMs: 300, remindAfterMs: 1000 };
const condition: Condition = {
  kind: "circuit",
  subject: "erp",
  text: say("alarms.circuit", { target: "erp", count: 1 }),
};

/** The alerts that a person receives during these checks, each with its time. */
function told(looks: readonly { after: number; isWrong: boolean }[], more: Partial<Condition> = {}) {
  let state: AlarmState | null = null;
  let now = 0;
  const changes: [number, string][] = [];
  for (const { after, isWrong } of looks) {
    now += after;
    const next = nextState(state, isWrong ? { ...condition, ...more } : null, { ...pace, now });
    // The state is stored as JSON and read back, as between two checks.
    state = next.state === null ? null : (JSON.parse(JSON.stringify(next.state)) as AlarmState);
    if (next.change !== null) changes.push([now, next.change]);
  }
  return { changes, state };
}
const wrong = (after: number) => ({ after, isWrong: true });
const well = (after: number) => ({ after, isWrong: false });

test("an alarm is reported once when it is raised, and once when it is over", () => {
  expect(told([wrong(10), wrong(100), wrong(100), well(100), well(200), well(100), well(500)]).changes).toEqual([
    [10, "raised"],
    [610, "cleared"],
  ]);
});

test("an intermittent condition is one alarm until it stays away", () => {
  const { changes, state } = told([wrong(0), well(100), wrong(100), well(100), wrong(100), well(200)]);
  expect(changes).toEqual([[0, "raised"]]);
  expect(state).toMatchObject({ since: 0, goneSince: 600 });
});

test("a condition that does not last long enough is not reported, neither as raised nor as cleared", () => {
  expect(told([wrong(0), wrong(99), well(1), well(1000)], { raiseAfterMs: 100 })).toEqual({ changes: [], state: null });
  expect(told([wrong(0), wrong(100)], { raiseAfterMs: 100 }).changes).toEqual([[100, "raised"]]);
});

test("a notified person is reminded after a while, but not at a quiet time", () => {
  const looks = [wrong(0), wrong(999), wrong(1), wrong(500), wrong(500)];
  expect(told(looks).changes).toEqual([
    [0, "raised"],
    [1000, "still"],
    [2000, "still"],
  ]);
  expect(told(looks, { isQuiet: true }).changes).toEqual([[0, "raised"]]);
});

test("a clock that is set back holds nothing up", () => {
  expect(told([wrong(5000), wrong(-4000), wrong(1000), well(-1000), well(300)]).changes).toEqual([
    [5000, "raised"],
    [2000, "still"],
    [1300, "cleared"],
  ]);
});

test("whatever happens, an alarm is raised and cleared alternately, and no reminder or clearance comes too early", () => {
  const look = fc.record({ after: fc.integer({ min: 1, max: 700 }), isWrong: fc.boolean() });
  fc.assert(
    fc.property(fc.array(look, { maxLength: 60 }), fc.integer({ min: 0, max: 500 }), (looks, raiseAfterMs) => {
      const { changes } = told(looks, { raiseAfterMs });
      let isRaised = false;
      let lastToldAt = 0;
      for (const [at, change] of changes) {
        expect(change === "raised").toBe(!isRaised);
        if (change === "still") expect(at - lastToldAt).toBeGreaterThanOrEqual(pace.remindAfterMs);
        if (change === "cleared") expect(wellFor(looks, at)).toBeGreaterThanOrEqual(pace.clearAfterMs);
        isRaised = change !== "cleared";
        lastToldAt = at;
      }
    }),
  );
});

/** How long nothing was wrong before this time. */
function wellFor(looks: readonly { after: number; isWrong: boolean }[], until: number): number {
  let now = 0;
  let since: number | null = null;
  for (const { after, isWrong } of looks) {
    now += after;
    if (now > until) break;
    since = isWrong ? null : (since ?? now);
  }
  return since === null ? 0 : until - since;
}
