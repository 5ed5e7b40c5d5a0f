import assert from "node:assert/strict";
import type { Booking } from "./example-erp.ts";
import type { Floor } from "./floor.ts";

/** What the ERP has booked is what was done on the floor: each once, and for each order in the same sequence. */
export async function compareBookings({ erp, bookings, until, look, say }: Floor): Promise<void> {
  await until("the end of all deliveries", async () => {
    const open = (await look("/admin/journal?state=accepted,inflight,retry&direction=out")) as { entries: unknown[] };
    return open.entries.length === 0;
  });
  const dead = (await look("/admin/journal?state=dead")) as { entries: unknown[] };
  assert.deepEqual(dead.entries, [], "no event waits for a person");
  const expected = bookings();
  // Tables and files are booked a moment after they are written.
  await until("the books of the ERP", async () => (await erp.booked()).length >= expected.length);
  const booked = await erp.booked();
  assert.deepEqual(byOrder(booked), byOrder(expected));
  const texts = booked.map((one) => JSON.stringify(one));
  assert.equal(new Set(texts).size, texts.length, "something was booked twice under the same id");
  say(`the ERP has booked ${booked.length} events: each once, in order`);
}

/** Without the amount of a whole step in the unit of its line, which not every connection tells. */
function byOrder(bookings: readonly (Booking & { readonly id?: string; readonly amount?: number })[]) {
  const orders: Record<string, Booking[]> = {};
  for (const { id: _id, amount: _amount, ...booking } of bookings) {
    orders[booking.order] ??= [];
    orders[booking.order]?.push(booking);
  }
  return orders;
}
