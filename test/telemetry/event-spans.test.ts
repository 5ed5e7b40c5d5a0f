import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { openTracing } from "../../src/app/telemetry/open-tracing.ts";
import { samplerOf } from "../../src/app/telemetry/sampler.ts";
import { createOutbox } from "../../src/engine/delivery/create-outbox.ts";
import type { EventNeeds } from "../../src/engine/events/deliver-now.ts";
import { createEventHandler } from "../../src/engine/events/take-event.ts";
import { defaultBudgets } from "../../src/engine/queries/call.ts";
import { JournalFailed } from "../../src/journal/journal.ts";
import { openMemoryJournal } from "../../src/journal/memory/open-memory-journal.ts";
import { type Log, silentLog } from "../../src/kit/log.ts";
import { manualClock } from "../../src/kit/time/clock.ts";
import { manualTimers, steadyTime } from "../../src/kit/time/timers.ts";
import { tracedLog } from "../../src/kit/tracing/traced-log.ts";
import { startAdapter } from "../support/adapter/adapter.ts";
import { startCollector } from "../support/collector/collector.ts";

const input = { workOrderNumber: "W-1", itemNumber: "A-1", completedAmount: 1 };
const body = JSON.stringify(input);

test("what is logged about an event that could not be stored belongs to the span of its call", async () => {
  const lines: object[] = [];
  const log: Log = { ...silentLog, error: (fields) => void lines.push(fields) };
  const limits = { mostAttributes: 10, longestValue: 100 };
  const { sampler } = samplerOf();
  const tracing = openTracing({ sampler, randomBytes, limits, nowUs: () => 1, onEnd: () => {} });
  const clock = manualClock();
  const timers = manualTimers(clock);
  const own = {
    ...{ clock, timers, steadyTime: steadyTime({ clock, timers }) },
    ...{ log: tracedLog(log, tracing), tracing, newToken: () => "token" },
  };
  const failed = () => Promise.reject(new JournalFailed("the disk failed"));
  const journal = { ...openMemoryJournal({}), append: failed };
  const common = { ...own, journal, onTouched: () => {} };
  const needs: EventNeeds = {
    ...common,
    ...{ outbox: createOutbox({ ...common, targets: new Map(), random: () => 0.5 }), underWay: new Map() },
    ...{ routing: { query: () => undefined, event: () => null }, budgets: defaultBudgets, repeatWindowMs: 1_000 },
    ...{ isDiskFull: () => false, newEntryId: () => "evt_1", newReference: () => "reference" },
  };
  const span = tracing.start({ name: "POST", kind: "server" }, null);
  const given = { input, body, payload: null, language: "en", acceptLanguage: null, span } as const;
  const { outcome } = await createEventHandler(needs)("confirmPutWallPlacement", given);
  expect(outcome).toMatchObject({ ok: false, result: "OperationFailed" });
  expect(lines).toMatchObject([{ reference: "reference", trace_id: span.traceId, span_id: span.spanId }]);
});

test("the time of an event names the span of its call", async () => {
  const collector = await startCollector();
  const { url } = await startAdapter({ env: collector.env });
  const headers = { "content-type": "application/json" };
  await fetch(`${url}/WorkOrders/ForPutWall`, { method: "POST", headers, body });
  const spans = await collector.until((all) => all.some(({ name }) => name === "POST /WorkOrders/ForPutWall"));
  const call = spans.find(({ name }) => name === "POST /WorkOrders/ForPutWall");
  const metrics = await fetch(`${url}/metrics`, { headers: { accept: "application/openmetrics-text" } });
  expect(await metrics.text()).toContain(`# {trace_id="${call?.traceId}",span_id="${call?.spanId}"}`);
});
