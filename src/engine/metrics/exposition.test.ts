import { expect, test } from "vitest";
import { countSamples, exposition, histogramSamples } from "./exposition.ts";
import { createTally } from "./tally.ts";

test("answers are counted by operation and result, and written as Prometheus reads them", () => {
  const tally = createTally();
  tally.answered("getItem", "Success", 3);
  tally.answered("getItem", "Success", 3);
  tally.answered("getItem", "ItemDoesNotExist", 3);
  const samples = countSamples(tally.answers, ["operation", "result"]);
  expect(exposition([{ name: "answers_total", help: "Answers.", type: "counter", samples }])).toBe(
    [
      "# HELP answers_total Answers.",
      "# TYPE answers_total counter",
      'answers_total{operation="getItem",result="Success"} 2',
      'answers_total{operation="getItem",result="ItemDoesNotExist"} 1',
      "",
    ].join("\n"),
  );
});

test("buckets of a histogram count upwards to all there were", () => {
  const tally = createTally();
  for (const commands of [1, 2, 3, 5000]) tally.committed({ commands, tookMs: 4, waitedMs: null });
  const samples = histogramSamples(tally.batchCommands);
  const bucket = (le: string) => samples.find(({ labels }) => labels?.["le"] === le)?.value;
  expect([bucket("1"), bucket("2"), bucket("5"), bucket("1000"), bucket("+Inf")]).toEqual([1, 2, 3, 3, 4]);
  expect(samples.slice(-2)).toEqual([
    { suffix: "_sum", labels: {}, value: 5006 },
    { suffix: "_count", labels: {}, value: 4 },
  ]);
});

test("a name cannot break out of its label", () => {
  const samples = [{ labels: { target: 'a"} 1\nfake{x="\\' }, value: 1 }];
  const text = exposition([{ name: "m", help: "line\nbreak", type: "gauge", samples }]);
  expect(text).toBe('# HELP m line\\nbreak\n# TYPE m gauge\nm{target="a\\"} 1\\nfake{x=\\"\\\\"} 1\n');
});

test("however many names there are, a metric has at most 201 series", () => {
  const tally = createTally();
  for (let name = 0; name < 10_000; name++) tally.attempted(`target ${name}`, "delivered");
  expect(tally.attempts.size).toBeLessThanOrEqual(201);
  const total = countSamples(tally.attempts, ["target", "outcome"]).reduce((sum, { value }) => sum + value, 0);
  expect(total).toBe(10_000);
});
