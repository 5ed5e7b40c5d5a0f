import { expect, test } from "vitest";
import { startAdapter } from "../../support/adapter/adapter.ts";
import { envelopeOf } from "../../support/adapter/envelope-of.ts";

const placement = { workOrderNumber: "W-1", itemNumber: "A", completedAmount: 1 };
const cancellation = { workOrderNumber: "W-1", requestExternalIdentifier: "7" };

test("an Idempotency-Key of an event has 255 visible characters at most, as that of a push", async () => {
  const { url } = await startAdapter();
  const send = async (path: string, body: object, key: string) =>
    await envelopeOf(
      await fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify(body),
      }),
    );
  expect(await send("/WorkOrders/ForPutWall", placement, "k".repeat(255))).toMatchObject({ result: 1 });
  expect(await send("/WorkOrders/ForPutWall", placement, "k".repeat(256))).toMatchObject({
    isResultSuccess: false,
    result: 5,
    validationStatus: { errorMessages: ["Idempotency-Key: must have 255 characters at most"], errorCount: 1 },
  });
  // This endpoint has no InvalidInput.
  expect(await send("/WorkOrders/CancelWorkOrderRequest", cancellation, "k".repeat(15_000))).toMatchObject({
    isResultSuccess: false,
    result: 3,
    validationStatus: { errorCount: 1 },
  });
  expect(await send("/WorkOrders/ForPutWall", placement, "schlüssel")).toMatchObject({ result: 5 });
});
