import { expect, test } from "vitest";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";

interface Taken {
  readonly ids: readonly string[];
  readonly results: readonly { readonly index: number; readonly id?: string; readonly problems?: readonly unknown[] }[];
}

const path = "/inbound/counts";
const config = { inbound: [{ path, topic: "stock", badRecords: "quarantine" }] };

test("a long push of which the good elements are stored is answered with every element in its place, also when repeated", async () => {
  const { url } = await startAdapter({ config });
  const isBad = (index: number) => index % 7 === 0 || index > 2_990;
  const list = Array.from({ length: 3_000 }, (_, index) =>
    isBad(index) ? {} : { itemNumber: `A-${index}`, amount: 1 },
  );
  const push = async () => {
    const headers = { "x-api-key": apiKey, "content-type": "application/json", "idempotency-key": "count-1" };
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(list) });
    expect(response.status).toBe(202);
    // The documented form of the answer.
    return (await response.json()) as Taken;
  };
  const { ids, results } = await push();
  expect(results.map(({ index }) => index)).toEqual(list.map((_, index) => index));
  expect(results.flatMap(({ id }) => id ?? [])).toEqual(ids);
  expect(results.filter(({ problems }) => problems !== undefined).map(({ index }) => index)).toEqual(
    list.flatMap((_, index) => (isBad(index) ? [index] : [])),
  );
  expect(await push()).toEqual({ ids, results });
});
