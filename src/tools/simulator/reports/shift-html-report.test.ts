import { expect, test } from "vitest";
import { openTally } from "../calls/call-tally.ts";
import { noFaults } from "../calls/fault-rates.ts";
import { openPlatformRecords } from "../records/platform-records.ts";
import type { SimulationResult } from "../simulation.ts";
import { htmlReport, linePlot } from "./shift-html-report.ts";
import { summaryOf, textReport } from "./summary.ts";

function resultWith(found: string): SimulationResult {
  let now = 0;
  const tally = openTally({ now: () => now });
  for (let call = 0; call < 3000; call++) {
    now += 1;
    tally.answered("confirmStep", 1 + (call % 20));
  }
  if (found !== "") {
    tally.note({
      kind: "report",
      order: "N1",
      item: "A",
      text: "differs",
      expected: "2",
      found,
      calls: ["confirmStep"],
    });
  }
  const simulation = {
    baseUrl: "http://user:secret@127.0.0.1:8080/base/",
    apiKey: "secret",
    seed: 1,
    orders: 1,
    operators: 1,
    speed: null,
    callsPerSecond: null,
    shiftMs: 1,
    rates: noFaults,
    hasKeys: false,
    storage: "Main",
    erpControlUrl: null,
    patienceMs: 1,
  };
  const operatorStates = [{ where: "B-03", task: "", floorMs: 0 }];
  const view = { simulation, tally, operatorStates, phase: "done", ordersDone: 1, ordersTotal: 1 };
  return {
    view,
    records: openPlatformRecords(),
    callsDigest: "d",
    durationMs: 3000,
    reportedOrders: 1,
    journalLines: null,
    gaveUp: null,
  };
}

test("nothing an adapter answers becomes markup in the report, and nothing is loaded from outside", () => {
  const page = htmlReport(summaryOf(resultWith('<script>alert("x")</script>')));
  expect(page).not.toContain("<script");
  expect(page).toContain("&#60;script&#62;");
  expect(page.replaceAll("http://127.0.0.1:8080/base", "")).not.toMatch(/https?:|src=|url\(/);
});

test("no report shows a password or a key", () => {
  const summary = summaryOf(resultWith("1"));
  const all = [JSON.stringify(summary), htmlReport(summary), textReport(summary, { isWhole: true })].join("\n");
  expect(all).not.toContain("secret");
});

test("a finding says order, item, what was expected and found, and which calls were made", () => {
  const text = textReport(summaryOf(resultWith("1")), { isWhole: false });
  expect(text).toContain("report: N1 A: differs; expected 2, found 1\n    confirmStep");
  expect(text).toContain("Result: 1 finding");
});

test("the page has a plot of the rate, of the latency and of its distribution", () => {
  expect(htmlReport(summaryOf(resultWith(""))).match(/<svg /g)).toHaveLength(3);
});

test("a piece that is missing for a reason is told in the result, and is no finding", () => {
  const result = resultWith("");
  const doubt = { text: "the report has another amount at W-1", expected: "2", found: "1", calls: [] };
  result.view.tally.note({ kind: "doubt", order: "N1", item: "A", ...doubt });
  const summary = summaryOf(result);
  const text = textReport(summary, { isWhole: false });
  expect(summary.ok).toBe(true);
  expect(text).toContain("Result: no finding, but pieces are missing in 1 doubtful place");
  expect(htmlReport(summary)).toContain("No finding, but pieces are missing in 1 doubtful place");
});

test("a shift that is shorter than a stretch has one all the same", () => {
  const tally = openTally({ now: () => 0 });
  expect(tally.stretches()).toEqual([]);
  tally.answered("confirmStep", 3);
  expect(tally.stretches()).toMatchObject([{ fromMs: 0, calls: 1 }]);
});

test("of a shift of a second there is something to see in the plots", () => {
  expect(linePlot("Calls", "a second", [{ name: "calls", colour: "red", points: [[0.5, 40]] }])).toContain("<circle");
});

test("the rate is that of the floor, without what was pushed before it and compared after it", () => {
  const result = resultWith("");
  result.view.load = { calls: 2500, ms: 1000 };
  expect(summaryOf(result).calls.perSecond).toBe(2500);
});
