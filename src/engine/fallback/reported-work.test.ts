import { expect, test } from "vitest";
import { adminSetup } from "../../../test/support/adapter/admin-setup.ts";
import { WorkOrderStatus } from "../../contract/enums.ts";
import { reportedWork } from "./reported-work.ts";

const placed = { itemNumber: "A", completedAmount: 1 };

test("an order counts as started by an event that its external system could not know of, and not by one it knew", async () => {
  const { journal, event, attempt, clock } = await adminSetup();
  const work = reportedWork(journal.read);
  const before = clock.now();
  const seq = await event("confirmPutWallPlacement", { workOrderNumber: "W-1", ...placed });
  expect(work.since("W-1", before)).toBe("started");
  // The event was queued before the list was returned, but the external system could not know of the event.
  expect(work.since("W-1", clock.now())).toBe("started");
  await attempt(seq, { state: "delivered" });
  expect(work.since("W-1", before)).toBe("started");
  clock.advance({ seconds: 1 });
  expect(work.since("W-1", clock.now())).toBe("none");
  expect(work.since("W-2", before)).toBe("none");
});

test("if no external system is notified, events after the answer count", async () => {
  const { journal, event, clock } = await adminSetup();
  const work = reportedWork(journal.read);
  const before = clock.now();
  await event("attachWorkOrder", { workOrderNumber: "W-1", containerCode: "C-1" }, "keep");
  // The event was refused because the journal knows no such order, so it does not count.
  expect(work.since("W-1", before)).toBe("none");
  await event("confirmPutWallPlacement", { workOrderNumber: "W-1", ...placed }, "keep");
  expect(work.since("W-1", before)).toBe("started");
  expect(work.since("W-1", clock.now())).toBe("none");
});

test("the latest event decides: a status ends an order, a release gives it back", async () => {
  const { journal, event, clock } = await adminSetup();
  const work = reportedWork(journal.read);
  const before = clock.now();
  const status = (number: string, value: number) => event("changeStatus", { number, status: value as WorkOrderStatus });
  await status("W-1", WorkOrderStatus.Assigned);
  expect(work.since("W-1", before)).toBe("started");
  await status("W-1", WorkOrderStatus.Completed);
  expect(work.since("W-1", before)).toBe("finished");
  await status("W-2", WorkOrderStatus.Canceled);
  expect(work.since("W-2", before)).toBe("cancelled");
  await event("attachWorkOrder", { workOrderNumber: "W-3", containerCode: "C-1" });
  await event("attachWorkOrder", { workOrderNumber: "W-3", containerCode: "C-1", isAbandonedOrCancelled: true });
  expect(work.since("W-3", before)).toBe("none");
});
