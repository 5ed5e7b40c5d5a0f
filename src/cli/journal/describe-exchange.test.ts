import { expect, test } from "vitest";
import { shownTimeIn } from "../describe/terminal-text.ts";
import { describeExchange } from "./describe-entry.ts";

const sent = {
  step: null,
  skipped: null,
  sentAt: "2026-01-05T08:00:00.000Z",
  to: "POST http://erp/placed",
  headers: { accept: "*/*" },
  body: { text: '{"a":1}', bytes: 7 },
};

test("a request and its answer are shown line by line, JSON indented, and truncation is reported", () => {
  const answer = { ms: 12, status: 422, headers: { server: "x" }, body: { text: "no such", bytes: 9000 } };
  expect(describeExchange(2, { ...sent, answer }, shownTimeIn("Europe/Vienna"))).toEqual([
    "Sent by attempt 2 at 2026-01-05 09:00:00 +01:00",
    "  POST http://erp/placed",
    "  accept: */*",
    "  {",
    '    "a": 1',
    "  }",
    "Answer after 12 ms: 422",
    "  server: x",
    "  no such",
    "  … only the beginning of 9000 bytes was kept",
  ]);
});

test("a request that was never answered says so", () => {
  expect(describeExchange(1, { ...sent, body: null, answer: null }, shownTimeIn("UTC")).at(-1)).toBe("No answer");
});
