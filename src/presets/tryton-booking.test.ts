import fc from "fast-check";
import { expect, test } from "vitest";
import { deliveryContext } from "../../test/support/connectors/delivery.ts";
import { answered, type ErpAnswer, httpErp } from "../../test/support/receivers/http-erp.ts";
import { trytonStandIn } from "../../test/support/stand-ins/tryton-stand-in.ts";
import type { HttpOptions } from "../connectors/http/options/options.ts";
import { Fault } from "../operation/fault.ts";
import type { DeliveryProgress } from "../sdk/connector.ts";

const metre = 12;
const bin = 9;
const otherBin = 11;
const key = `15/0/${bin}`;
const order = { number: "OUT000012", externalIdentifier: "12", dueDate: "2030-01-01", requests: [] };

/** A shipment of 10 m cable from one bin. The order counts it in centimetres. */
async function cableShipment(planned = [10]) {
  const tryton = trytonStandIn(
    planned.map((quantity) => ({ quantity, product: 15, lot: null, from_location: bin, uom: metre })),
  );
  const options = { preset: "tryton", variables: { user: "crossdock", password: "pw" } } as Partial<HttpOptions>;
  let cutMethod = "";
  const answer: ErpAnswer = (request, response, position) => {
    const answer = tryton.answer(request, response, position);
    if ((request.json as { method: string }).method !== cutMethod) return answer;
    cutMethod = "";
    response.destroy();
    return answered;
  };
  const { connector, requests } = await httpErp(options, answer);
  const subjectWith = (pickedAmount: number) => ({
    order,
    line: { requestExternalIdentifier: key, pickedAmount, data: { per: 100, uom: metre, digits: 2 } },
  });
  const event = { workOrderNumber: "OUT000012", requestId: 1, itemNumber: "CABLE" };
  return {
    ...{ tryton, requests },
    /** The next call of this method takes effect, and its answer is lost. */
    cut: (method: string) => {
      cutMethod = method;
    },
    /** Sends a step, as often as a delivery would; the total so far is in centimetres, and may have grown by the second attempt. */
    step: (pickedAmount: number, grown = pickedAmount) => {
      const progress = keptProgress();
      return untilDelivered(async (attempt) => {
        const subjectNow = async () => subjectWith(attempt === 1 ? pickedAmount : grown);
        const context = { ...deliveryContext({ topic: "confirmStep", attempt }), progress, findSubject: subjectNow };
        // Only identity is required of a step; the row's own type asks for no more.
        return connector.operations.confirmStep?.(event as never, context);
      });
    },
    finish: () => {
      const progress = keptProgress();
      return untilDelivered(async (attempt) =>
        connector.derived?.orderFinished?.(
          { workOrderNumber: "OUT000012", lines: [{ requestExternalIdentifier: key }] } as never,
          {
            ...deliveryContext({ topic: "orderFinished", attempt }),
            progress,
            findSubject: async () => ({ order, line: null }),
          },
        ),
      );
    },
  };
}

async function untilDelivered<Outcome>(send: (attempt: number) => Promise<Outcome>): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(attempt);
    } catch (error) {
      const isPassing = error instanceof Fault && (error.answer.isPassing === true || error.kind === "unreachable");
      if (!isPassing || attempt === 5) throw error;
    }
  }
}

/** What the journal keeps of an entry between its attempts. */
function keptProgress(): DeliveryProgress {
  const kept = new Map<string, string>();
  let hasTried = false;
  return {
    noted: () => kept,
    wasTried: () => hasTried,
    note: async (states) => {
      for (const { key: name, value } of states) kept.set(name, value);
    },
    restart: () => {
      hasTried = true;
    },
  };
}

test("a whole line is booked by one call, between one that reads and one that reads back, after the login", async () => {
  const { tryton, requests, step } = await cableShipment();
  await step(1000);
  expect(tryton.done(15, null, bin)).toBe(10);
  expect(requests.map(({ json }) => (json as { method: string }).method)).toEqual([
    "common.db.login",
    "model.stock.shipment.out.search_read",
    "model.stock.move.do",
    "model.stock.move.read",
  ]);
});

test("a part is split off, and what is left stays assigned", async () => {
  const { tryton, step } = await cableShipment();
  await step(325);
  expect(tryton.moves()).toMatchObject([
    { state: "done", quantity: 3.25 },
    { state: "assigned", quantity: 6.75 },
  ]);
});

test("a cut that is finer than Tryton's unit is rounded in the total, and not in its parts", async () => {
  const { tryton, step } = await cableShipment();
  for (const total of [100.4, 200.8, 301.2, 401.6]) await step(total);
  expect(tryton.done(15, null, bin)).toBeCloseTo(4.02, 6);
});

test("a step that is sent again books nothing, whatever the first sending did", async () => {
  const { tryton, step } = await cableShipment([4, 6]);
  await step(500);
  await step(500);
  expect(tryton.done(15, null, bin)).toBe(5);
  await step(1000);
  await step(1000);
  expect(tryton.done(15, null, bin)).toBe(10);
});

test("after a cancellation in the office the goods that left the bin are booked all the same", async () => {
  const { tryton, step, finish } = await cableShipment();
  await step(200);
  tryton.cancelShipment();
  await step(450);
  expect(tryton.done(15, null, bin)).toBe(4.5);
  await finish();
  expect(tryton.shipment.state).toBe("cancelled");
});

test.each([1, 2, 3, 4])(
  "a cancellation in the office after call %i of a step loses nothing, although Tryton answers every call with a yes",
  async (calls) => {
    const { tryton, step } = await cableShipment();
    tryton.after(calls, tryton.cancelShipment);
    await step(450);
    expect(tryton.done(15, null, bin)).toBe(4.5);
  },
);

test("a further move whose answer is lost is made once, and no draft is left behind", async () => {
  const { tryton, step, cut } = await cableShipment();
  tryton.cancelShipment();
  cut("model.stock.move.create");
  await step(450);
  expect(tryton.done(15, null, bin)).toBe(4.5);
  expect(tryton.moves().filter(({ state }) => state === "draft")).toEqual([]);
});

test.each(["wizard.stock.move.split.execute", "model.stock.move.do", "model.stock.move.read"])(
  "if more is picked before a step is sent again whose %s was cut off, nothing is booked twice",
  async (method) => {
    const { tryton, step, cut } = await cableShipment([3, 10]);
    cut(method);
    await step(200, 400);
    expect(tryton.done(15, null, bin)).toBeLessThanOrEqual(4);
    await step(400);
    expect(tryton.done(15, null, bin)).toBe(4);
  },
);

test("a shipment that the office plans anew just before it is picked keeps its new moves open", async () => {
  const { tryton, step, finish } = await cableShipment();
  await step(800);
  // Read and cancelled, not yet picked.
  tryton.after(2, () => tryton.addMove({ quantity: 2, product: 15, lot: null, from_location: otherBin, uom: metre }));
  await finish();
  expect(tryton.done(15, null, otherBin)).toBe(0);
  expect(tryton.shipment.state).toBe("assigned");
});

test("a finished order cancels what it leaves, and picks the shipment", async () => {
  const { tryton, step, finish } = await cableShipment();
  await step(800);
  await finish();
  expect(tryton.shipment.state).toBe("picked");
  expect(tryton.moves()).toMatchObject([
    { state: "done", quantity: 8 },
    { state: "cancelled", quantity: 2 },
  ]);
});

test("a shipment of which another order holds a part is not picked", async () => {
  const { tryton, step, finish } = await cableShipment();
  await step(800);
  tryton.planAnew(otherBin);
  await finish();
  expect(tryton.shipment.state).toBe("assigned");
  expect(tryton.moves().map(({ state }) => state)).toEqual(["done", "assigned"]);
});

test("whatever the office does between the steps, and however often they are sent, as much is booked as was picked", async () => {
  const act = fc.oneof(
    fc.integer({ min: 1, max: 400 }).map((amount) => ({ amount })),
    fc.constantFrom({ bin: null }, { bin: otherBin }, "again" as const, "cancel" as const),
    // The office changes the shipment in the middle of the next step.
    fc.record({ after: fc.integer({ min: 0, max: 7 }), bin: fc.constantFrom(null, otherBin, "cancel" as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 8 }), async (acts) => {
      const { tryton, step } = await cableShipment([2.5, 3, 4.5]);
      let picked = 0;
      for (const one of acts) {
        if (one === "again") await step(picked);
        else if (one === "cancel") tryton.cancelShipment();
        else if ("after" in one) {
          const { after, bin: to } = one;
          tryton.after(after, () => (to === "cancel" ? tryton.cancelShipment() : tryton.planAnew(to)));
        } else if ("bin" in one) tryton.planAnew(one.bin);
        else {
          picked += one.amount;
          await step(picked);
        }
      }
      expect(tryton.done(15, null, bin)).toBeCloseTo(picked / 100, 6);
    }),
    { numRuns: 40 },
  );
});
