import { expect, onTestFinished, test, vi } from "vitest";
import { openTelemetry } from "../../src/app/telemetry/open-telemetry.ts";
import type { Log } from "../../src/kit/log.ts";
import { systemTimers } from "../../src/kit/time/timers.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { startCollector } from "../support/collector/collector.ts";
import { rawReceiver } from "../support/receivers/receiver.ts";

const item = (number: string) => ({ number, name: "Bolt" });

function opened(variables: Record<string, string>) {
  const lines: { level: string; fields: object; text: string }[] = [];
  const at = (level: string) => (fields: object, text: string) => void lines.push({ level, fields, text });
  const log: Log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  const telemetry = openTelemetry({ variables, version: "1.2.3", log, timers: systemTimers });
  if (telemetry === null) throw new Error("nothing was opened");
  onTestFinished(() => telemetry.close());
  const counts = () => {
    const samples = telemetry.metrics()[0]?.samples ?? [];
    return Object.fromEntries(
      samples.map(({ labels, value }) => [`${labels?.["signal"]} ${labels?.["outcome"]}`, value]),
    );
  };
  const span = (name = "work") => telemetry.tracing?.start({ name, kind: "internal" }).end();
  return { ...telemetry, telemetry, lines, counts, span };
}

const waits = { timeout: 60_000 };

test("a full queue drops further spans and counts them; nothing waits for a collector that does not answer", async () => {
  const silent = await rawReceiver(() => {});
  const { span, counts, telemetry } = opened({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: new URL(silent.url).origin,
    ...{ OTEL_BSP_MAX_QUEUE_SIZE: "10", OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "5" },
  });
  for (let n = 0; n < 100; n++) span();
  expect(counts()).toMatchObject({ "traces dropped": 90, "traces sent": 0 });
  // A stop does not wait for the time-out of a request, which is ten seconds.
  await telemetry.close();
  expect(counts()).toMatchObject({ "traces sent": 0 });
});

test("429 and 503 are tried again after the time that the collector names, without a loss", async () => {
  const collector = await startCollector((_request, position) =>
    position === 1
      ? { status: 429, headers: { "retry-after": "0" } }
      : position === 2
        ? { status: 503, headers: { "retry-after": new Date(0).toUTCString() } }
        : null,
  );
  const { span, counts, lines } = opened(collector.env);
  span();
  await collector.until((spans) => spans.length === 1);
  await vi.waitFor(() => expect(counts()).toMatchObject({ "traces sent": 1, "traces dropped": 0 }), waits);
  expect(collector.requests.length).toBe(3);
  const texts = lines.map(({ level, text }) => `${level}: ${text}`);
  expect(texts.filter((text) => text.startsWith("warn"))).toHaveLength(1);
  expect(texts).toContain("info: telemetry is sent to the collector again");
});

test("another refusal is final, and counted", async () => {
  const collector = await startCollector(() => ({ status: 400 }));
  const { span, counts } = opened(collector.env);
  span();
  await vi.waitFor(() => expect(counts()).toMatchObject({ "traces sent": 0, "traces dropped": 1 }), waits);
  expect(collector.requests).toHaveLength(1);
});

test.each([
  ["http/json", JSON.stringify({ partialSuccess: { rejectedSpans: "2", errorMessage: "too old" } })],
  ["http/protobuf", Buffer.from([0x0a, 0x0b, 0x08, 0x02, 0x12, 0x07, ...Buffer.from("too old")])],
])("what the collector refuses of a message is counted as refused (%s)", async (protocol, body) => {
  const collector = await startCollector(() => ({ status: 200, body }));
  const { span, counts } = opened({
    ...{ ...collector.env, OTEL_EXPORTER_OTLP_PROTOCOL: protocol, OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "3" },
  });
  for (let n = 0; n < 3; n++) span();
  await vi.waitFor(() => expect(counts()).toMatchObject({ "traces sent": 1, "traces refused": 2 }), waits);
});

test("spans that are not sent yet are sent by a clean stop", async () => {
  const collector = await startCollector();
  const { span, telemetry } = opened({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  for (let n = 0; n < 700; n++) span(`work ${n}`);
  await telemetry.close();
  expect(collector.spans).toHaveLength(700);
  expect(collector.faults).toEqual([]);
});

test("the floor works as before while the collector is down, and the adapter stops", async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_BSP_SCHEDULE_DELAY: "1" };
  const { client, url, close } = await startAdapter({ env });
  for (let n = 0; n < 20; n++) await client.push.items(item(`I-${n}`));
  expect((await client.getItem({ number: "I-3" })).isResultSuccess).toBe(true);
  const metrics = await fetch(`${url}/metrics`, { headers: { "x-api-key": apiKey } }).then((answer) => answer.text());
  expect(metrics).toMatch(/crossdock_telemetry_total\{signal="traces",outcome="sent"\} 0/);
  await close();
});

test("gRPC, and what is not understood, is named in a warning; nothing else changes", async () => {
  const log: string[] = [];
  const at = (fields: object, text: string) => void log.push(`${text}: ${JSON.stringify(fields)}`);
  const given = {
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4317", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
  };
  const lines = { debug: at, info: at, warn: at, error: at };
  expect(openTelemetry({ variables: given, version: "1", log: lines, timers: systemTimers })).toBeNull();
  expect(log[0]).toContain("gRPC is not offered");
});
