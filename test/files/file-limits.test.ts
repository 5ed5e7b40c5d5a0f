import { beforeAll, expect, test } from "vitest";
import { limits } from "../../src/contract/limits.ts";
import { operations } from "../../src/contract/operations.ts";
import { startAdapter } from "../support/adapter/adapter.ts";
import { envelopeOf } from "../support/adapter/envelope-of.ts";

let url = "";
beforeAll(async () => {
  const adapter = await startAdapter({ onFinished: () => {} });
  url = adapter.url;
  return adapter.close;
});

const head = "number;dueDate;itemNumber;requestedAmount;order";
const lines = (count: number) => Array.from({ length: count }, () => "A;2030-01-01;I;1;1").join("\n");

test.each([
  ["an amount that no strict client reads", `${head}\nA;2030-01-01;I;3000000000;1\n`, limits.integer],
  ["a sequence that no strict client reads", `${head}\nA;2030-01-01;I;1;99999999999\n`, limits.integer],
  ["a long order number", `${head}\n${"X".repeat(300)};2030-01-01;I;1;1\nB;2030-01-01;I;1;1\n`, 256],
  ["a long item number", `${head}\nA;2030-01-01;${"X".repeat(300)};1;1\n`, 256],
  ["an order of too many lines", `${head}\n${lines(limits.linesPerOrder + 1)}\n`, limits.linesPerOrder],
])("a file with %s is invalid as a whole, and the answer names the limit", async (_what, csv, limit) => {
  const answer = await envelopeOf(
    fetch(url + operations.parseWorkOrderFile.path, {
      method: "POST",
      body: JSON.stringify({ fileContent: Buffer.from(csv).toString("base64"), fileType: 1 }),
      headers: { "content-type": "application/json" },
    }),
  );
  expect(answer).toMatchObject({
    isResultSuccess: false,
    result: operations.parseWorkOrderFile.results.indexOf("InvalidInput"),
    validationStatus: { errorCount: 1 },
    data: null,
  });
  expect(answer.validationStatus?.errorMessages[0]).toContain(String(limit));
});
