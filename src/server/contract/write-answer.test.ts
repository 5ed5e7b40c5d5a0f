import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { startAdapter } from "../../../test/support/adapter/adapter.ts";
import { scriptedConnector } from "../../../test/support/connectors/scripted-connector.ts";
import { operations } from "../../contract/operations.ts";
import { ok, ReadyJsonList, ReadyJsonSlices } from "../../operation/outcome.ts";

const maxPieces = 500;

/**
 * Runs in a separate thread. In ours, the reader and the server would take turns, which is what the test must rule out.
 */
const fastReader = `
  const { workerData } = require("node:worker_threads");
  fetch(workerData).then(async ({ body }) => { for await (const chunk of body); });
`;

test("a small request is answered while a long list is read on a fast line", async () => {
  let isAnswered = false;
  let pieces = 0;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  // Takes far longer than the small request; it ends early once that request is answered.
  function* orders() {
    const piece = Buffer.from(JSON.stringify({ number: "x".repeat(100_000) }));
    while (!isAnswered && pieces < maxPieces) {
      if (pieces++ === 0) begin();
      // As long as a store takes: enough time for the reader to empty the line before the next piece.
      const readyAt = performance.now() + 1;
      while (performance.now() < readyAt);
      yield piece;
    }
  }
  const { url } = await startAdapter({ connector: scriptedConnector(() => ok(new ReadyJsonList(orders()))) });
  const reader = new Worker(fastReader, { eval: true, workerData: url + operations.listWorkOrders.path });
  const read = once(reader, "exit");

  await begun;
  const status = await fetch(url + operations.getStatus.path);
  isAnswered = true;

  expect(status.status).toBe(200);
  expect(pieces).toBeLessThan(maxPieces);
  expect(await read).toEqual([0]);
});

const slices = (...texts: string[]) =>
  new ReadyJsonSlices(
    (async function* () {
      for (const text of texts) yield Buffer.from(text);
    })(),
  );

test.each([
  ["first", () => [slices(), "1", slices("2", "3"), "4"], "[1,23,4]"],
  ["in the middle", () => ["1", slices(), slices("2")], "[1,2]"],
  ["last", () => [slices("1"), slices()], "[1]"],
  ["the only one", () => [slices()], "[]"],
])("an element read while it is sent that has gone leaves no comma: %s", async (_, pieces, list) => {
  const { url } = await startAdapter({ connector: scriptedConnector(() => ok(new ReadyJsonList(pieces()))) });
  const answer = await fetch(url + operations.listWorkOrders.path);
  expect(((await answer.json()) as { data: unknown }).data).toEqual(JSON.parse(list));
});

test("one value that is read while it is sent is written into the envelope", async () => {
  const { url } = await startAdapter({ connector: scriptedConnector(() => ok(slices('{"number":', '"N"}'))) });
  const answer = await fetch(`${url}${operations.findWorkOrderByCode.path}?Code=N`);
  expect(((await answer.json()) as { data: unknown }).data).toEqual({ number: "N" });
});
