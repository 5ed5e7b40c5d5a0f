import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJsonKeepingDigits } from "../kit/json/exact-number.ts";
import { readUpdate } from "./read-update.ts";

const line = fc.record({
  requestId: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
  requestedAmount: fc.oneof(fc.integer(), fc.double(), fc.string()),
  isCancelled: fc.oneof(fc.boolean(), fc.string()),
});
const update = fc.oneof(
  fc.record({ id: fc.oneof(fc.constant(7), fc.anything()), itemRequests: fc.oneof(fc.array(line), fc.anything()) }),
  fc.anything(),
);

test("whatever an answer contains, only an update for the order of the step is passed on", () => {
  fc.assert(
    fc.property(update, (offered) => {
      const json = JSON.parse(JSON.stringify({ updateWorkOrderRequest: offered }, safely)) as unknown;
      const reading = readUpdate(json, { updateWorkOrderRequest: { id: 7 } });
      if (reading.update !== null) expect([reading.update.id, reading.ignored]).toEqual([7, null]);
    }),
    { numRuns: 5_000 },
  );
});

const safely = (_name: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);

test("members in another spelling are understood", () => {
  const json = { updateWorkOrderRequest: { Id: 7, ItemRequests: [{ RequestId: 1, IsCancelled: true }] } };
  expect(readUpdate(json, { updateWorkOrderRequest: { id: 7 } })).toEqual({
    update: { id: 7, itemRequests: [{ requestId: 1, isCancelled: true }] },
    ignored: null,
  });
});

test("ids that no number holds are compared digit by digit, given as numbers or as texts", () => {
  const [id, near] = ["9007199254740993", "9007199254740992"];
  const sent = new Set([id]);
  const step = { updateWorkOrderRequest: { id } };
  const asNumber = (digits: string) => parseJsonKeepingDigits(`{"updateWorkOrderRequest":{"id":${digits}}}`);
  expect(readUpdate(asNumber(id), step, sent).ignored).toBeNull();
  expect(readUpdate({ updateWorkOrderRequest: { id } }, step, sent).ignored).toBeNull();
  expect(readUpdate(asNumber(near), step, sent).ignored).toContain(near);
  expect(readUpdate(asNumber("7"), step, sent).ignored).toContain("7");
  expect(readUpdate({ updateWorkOrderRequest: { id: Number(near) } }, step, sent).ignored).toContain(near);
});
