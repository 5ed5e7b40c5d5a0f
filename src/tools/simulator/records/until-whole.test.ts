import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { readJournal, untilWhole } from "./compare-journal.ts";

const at = (port: number) => ({ baseUrl: `http://127.0.0.1:${port}`, apiKey: "k" });
const noWait = async () => {};

test("a journal that breaks off is read again from the beginning, and a part is never mistaken for the whole", async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked++;
    if (asked === 1) return response.destroy();
    response.write('{"seq":1}\n{"se');
    if (asked === 2) setImmediate(() => response.destroy());
    else response.end('q":2}');
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const needs = at((server.address() as AddressInfo).port);
  const seqs = await untilWhole(
    needs.baseUrl,
    async () => {
      const lines = (await readJournal(needs, new Date(0))) ?? [];
      const found: unknown[] = [];
      for await (const line of lines) found.push(line);
      return found;
    },
    noWait,
  );
  expect(seqs).toEqual([{ seq: 1 }, { seq: 2 }]);
  expect(asked).toBe(3);
});

test("if the adapter does not come back, the message names it, and an error of another kind is not retried", async () => {
  // No server listens there.
  const needs = at(1);
  await expect(untilWhole(needs.baseUrl, () => readJournal(needs, new Date(0)), noWait)).rejects.toThrow(
    /nobody answers at http:\/\/127\.0\.0\.1:1/,
  );
  let tried = 0;
  const broken = async () => {
    tried++;
    throw new SyntaxError("no JSON");
  };
  await expect(untilWhole(needs.baseUrl, broken, noWait)).rejects.toThrow("no JSON");
  expect(tried).toBe(1);
});
