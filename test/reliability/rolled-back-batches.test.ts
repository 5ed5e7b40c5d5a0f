import fc from "fast-check";
import { expect, test } from "vitest";
import { migrate } from "../../src/journal/sqlite/migrations.ts";
import { writer } from "../../src/journal/sqlite/writer/writer.ts";
import type { Command } from "../../src/journal/sqlite/writer/writer-command.ts";
import { row, text } from "../../src/kit/sqlite/row.ts";
import { type Database, openDatabase } from "../../src/kit/sqlite/sqlite.ts";
import { openReport } from "../../src/store/queries/get-report.ts";
import { stepAmounts } from "../../src/store/read-order-history.ts";
import { openProjection } from "../../src/store/store-projection.ts";
import { workOrder } from "../support/floor/embedded-store.ts";

/** An event or a push with the milliseconds since the last one; or a look of the retention. */
type Happening = { readonly topic: string; readonly payload: unknown; readonly afterMs: number } | "prune";
interface Batch {
  readonly happenings: readonly Happening[];
  /** Whether one more is in it that cannot be applied: all of them are rolled back then, and done one by one. */
  readonly isSpoiled: boolean;
}

const order = fc.constantFrom("N", "M");
const item = fc.constantFrom("A", "B");
const amount = fc.constantFrom(0, 1, 2, 3, 6);
const requestId = fc.constantFrom(0, 1, 2, -1, Number.MAX_SAFE_INTEGER);
const externalId = fc.constantFrom(null, "x", "y");
const unit = fc.constantFrom(0, 1);

const lines = fc.array(
  fc.record({ itemNumber: item, requestedAmount: fc.constantFrom(1, 2, 6), unitOfMeasure: unit, order: fc.nat(3) }),
  { minLength: 1, maxLength: 3 },
);
const pushedOrder = fc
  .tuple(order, lines)
  .map(([number, requests]) => workOrder({ number, requests: requests.map((one) => ({ ...one, requestType: 1 })) }));
const shown = fc.record({ requestId, itemNumber: item, externalIdentifier: externalId, requestedAmount: amount });
const step = fc.record(
  {
    workOrderNumber: order,
    requestId,
    itemNumber: item,
    requestExternalIdentifier: externalId,
    requestAmountInBaseUnitOfMeasure: amount,
    requestRemainingAmountInBaseUnitOfMeasure: amount,
    amountToConfirmPickingSummary: fc.record({
      locationName: fc.constantFrom("R1", "R2", null),
      containersBreakdown: fc.array(fc.record({ amountToConfirmInBaseUnitOfMeasure: amount }), { maxLength: 2 }),
    }),
    updateWorkOrderRequest: fc.record({ id: fc.constant(1), itemRequests: fc.array(shown, { maxLength: 3 }) }),
  },
  { requiredKeys: ["workOrderNumber", "requestId", "amountToConfirmPickingSummary"] },
);
const ofItem = { workOrderNumber: order, itemNumber: item };
const cancelledLine = fc.record({ requestId, itemNumber: item, completedAmountInBaseUnitOfMeasure: amount });
const payloads: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  workOrders: pushedOrder,
  cancellations: fc.record({ ...ofItem, requestedAmount: amount }, { requiredKeys: ["workOrderNumber", "itemNumber"] }),
  confirmStep: step,
  confirmPutWallPlacement: fc.record({ ...ofItem, completedAmount: amount, confirmedLocationName: externalId }),
  cancelPutWallItem: fc.record(ofItem),
  cancelWorkOrderRequest: fc.record({ workOrderNumber: order, request: cancelledLine }),
  changeStatus: fc.record({ number: order, status: fc.nat(6) }),
};
const afterMs = fc.constantFrom(0, 10, 2000, 3 * 3600 * 1000);
const told = Object.entries(payloads).map(([topic, payload]) =>
  fc.record({ topic: fc.constant(topic), payload, afterMs }),
);
const happening: fc.Arbitrary<Happening> = fc.oneof(...told, ...told, fc.constant("prune" as const));
const batches = fc.array(
  fc.record({ happenings: fc.array(happening, { minLength: 1, maxLength: 4 }), isSpoiled: fc.boolean() }),
  { maxLength: 10 },
);

function play(played: readonly Batch[]) {
  const database = openDatabase(":memory:");
  migrate(database);
  let ids = 0;
  const { write } = writer({
    ...{ isBoot: true, database, inherited: [], emissionTarget: null, newEntryId: () => `emitted_${++ids}` },
    projection: openProjection(database, { removedReceiptAfterMinutes: 60 }),
  });
  let at = 1_000_000;
  let count = 0;
  const append = (topic: string, payload: unknown, id = `evt_${++count}`): Command => {
    const plain = { body: JSON.stringify(payload), payload: null, acceptLanguage: null, receivedAt: at };
    return { name: "append", entries: [{ id, direction: "out", topic, lanes: [topic], ...plain }], leaseToken: "" };
  };
  for (const { happenings, isSpoiled } of played) {
    const commands = happenings.map((one): Command => {
      if (one === "prune") return { name: "prune", bodiesBefore: at, entriesBefore: 0, batch: 3 };
      at += one.afterMs;
      return append(one.topic, one.payload);
    });
    const { results } = write(isSpoiled ? [...commands, append("gossip", null, "evt_spoiled")] : commands);
    expect(results.filter((result) => "error" in result)).toHaveLength(isSpoiled ? 1 : 0);
  }
  const stored = tablesOf(database);
  const report = openReport({ database }).answer({
    storageId: "",
    workOrdersNumbers: ["N", "M"],
    remainingRequests: {},
  });
  database.close();
  return { stored, report };
}

/** All that is stored, but for the ids of what was emitted: each try makes new ones. */
function tablesOf(database: Database): Readonly<Record<string, unknown>> {
  const names = database
    .query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name", row({ name: text }))
    .all();
  const rowsOf = (name: string) =>
    [...database.statement(`SELECT * FROM ${name}`).iterate()].map((row) =>
      row.map((value) => (typeof value === "string" && value.startsWith("emitted_") ? "emitted" : value)),
    );
  const amounts = (order: string) => [...stepAmounts(database)(order)].map(([step, lines]) => [step, lines()]);
  return {
    ...Object.fromEntries(names.map(({ name }) => [name, rowsOf(name)])),
    // After a rollback all lines of a step are written, otherwise those that it has changed.
    step_amounts: ["N", "M"].map(amounts),
  };
}

test("a batch that is rolled back and done again one by one leaves what it would have left at once", () => {
  fc.assert(
    fc.property(batches, (played) => {
      expect(play(played)).toEqual(play(played.map((batch) => ({ ...batch, isSpoiled: false }))));
    }),
    { numRuns: 100 },
  );
});
