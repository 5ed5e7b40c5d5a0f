import { expect, test } from "vitest";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { line, openFloor, pick } from "../../../test/support/floor/floor.ts";
import { say } from "../../messages/message.ts";
import { ok, refuse } from "../../operation/outcome.ts";

const attach = (workOrderNumber: string, containerCode: string) => ({ workOrderNumber, containerCode });
const release = (workOrderNumber: string, containerCode: string) => ({
  workOrderNumber,
  containerCode,
  isAbandonedOrCancelled: true,
});

function floorWith(...numbers: string[]) {
  const floor = openFloor();
  for (const number of numbers) floor.push(workOrder({ number, requests: [line("A", 1)] }));
  return floor;
}

test("the same pair again is a success", () => {
  const floor = floorWith("N");
  expect(floor.event("attachWorkOrder", attach("N", "T1"))).toEqual(ok(null));
  expect(floor.event("attachWorkOrder", attach("N", "T1"))).toEqual(ok(null));
});

test("attaching is a sign of work", () => {
  const floor = floorWith("N");
  floor.event("attachWorkOrder", attach("N", "T1"));
  expect(floor.orders.find("N")?.state).toBe("started");
});

test("an order on another container is refused, and the text names that container", () => {
  const floor = floorWith("N");
  floor.event("attachWorkOrder", attach("N", "T1"));
  expect(floor.event("attachWorkOrder", attach("N", "T2"))).toEqual(
    refuse("WorkOrderAlreadyAttached", say("events.order-on-other-container", { order: "N", container: "T1" })),
  );
});

test("a container on another order is refused, and the text names that order", () => {
  const floor = floorWith("N", "M");
  floor.event("attachWorkOrder", attach("N", "T1"));
  expect(floor.event("attachWorkOrder", attach("M", "T1"))).toEqual(
    refuse("ContainerAlreadyAttached", say("events.container-on-other-order", { container: "T1", order: "N" })),
  );
  expect(floor.orders.find("M")?.state).toBe("waiting");
});

test("a released container can be attached to another order, and the order to another container", () => {
  const floor = floorWith("N", "M");
  floor.event("attachWorkOrder", attach("N", "T1"));
  expect(floor.event("attachWorkOrder", release("N", "T1"))).toEqual(ok(null));
  expect(floor.event("attachWorkOrder", attach("M", "T1"))).toEqual(ok(null));
  expect(floor.event("attachWorkOrder", attach("N", "T2"))).toEqual(ok(null));
});

test("releasing what is not attached is a success, for unknown orders and containers too", () => {
  const floor = floorWith("N");
  expect(floor.event("attachWorkOrder", release("N", "T1"))).toEqual(ok(null));
  expect(floor.event("attachWorkOrder", release("nobody", "nothing"))).toEqual(ok(null));
});

test("a release does not take the container from another order", () => {
  const floor = floorWith("N", "M");
  floor.event("attachWorkOrder", attach("N", "T1"));
  floor.event("attachWorkOrder", release("M", "T1"));
  expect(floor.event("attachWorkOrder", attach("M", "T1"))).toMatchObject({ result: "ContainerAlreadyAttached" });
});

test("the container of a finished order is free", () => {
  const floor = floorWith("N", "M");
  floor.event("attachWorkOrder", attach("N", "T1"));
  floor.event("confirmStep", pick("N", 1, { requested: 1, remaining: 1, picked: 1 }));
  expect(floor.event("attachWorkOrder", attach("M", "T1"))).toEqual(ok(null));
});

test("an unknown order is refused; a number remembered from a file is known", () => {
  const floor = openFloor();
  expect(floor.event("attachWorkOrder", attach("N", "T1"))).toEqual(
    refuse("WorkOrderDoesNotExist", say("events.attach-order-unknown", { order: "N" })),
  );
  floor.orders.remember(["N"]);
  expect(floor.event("attachWorkOrder", attach("N", "T1"))).toEqual(ok(null));
});

test("a code that does not match the container pattern as a whole is no container", () => {
  const floor = openFloor({ containerPattern: "T[0-9]+" });
  floor.orders.remember(["N"]);
  expect(floor.event("attachWorkOrder", attach("N", "XT1"))).toEqual(
    refuse("InvalidContainer", say("events.container-invalid", { container: "XT1" })),
  );
  expect(floor.event("attachWorkOrder", attach("N", "T1"))).toEqual(ok(null));
});

test("a container that is not in the container master does not exist", () => {
  const floor = openFloor({ knownContainers: ["T1"] });
  floor.orders.remember(["N"]);
  expect(floor.event("attachWorkOrder", attach("N", "T2"))).toEqual(
    refuse("ContainerDoesNotExist", say("events.container-unknown", { container: "T2" })),
  );
  expect(floor.event("attachWorkOrder", attach("N", "T1"))).toEqual(ok(null));
});

test("the same container written in another letter case or with blanks around it is the same container", () => {
  const floor = floorWith("N", "M");
  floor.event("attachWorkOrder", attach("N", " Tä1 "));
  expect(floor.event("attachWorkOrder", attach("N", "tÄ1"))).toEqual(ok(null));
  expect(floor.event("attachWorkOrder", attach("M", "TÄ1"))).toEqual(
    refuse("ContainerAlreadyAttached", say("events.container-on-other-order", { container: "TÄ1", order: "N" })),
  );
  expect(floor.event("attachWorkOrder", attach("N", "T2"))).toEqual(
    refuse("WorkOrderAlreadyAttached", say("events.order-on-other-container", { order: "N", container: "Tä1" })),
  );
  expect(floor.event("attachWorkOrder", release("N", "tä1 "))).toEqual(ok(null));
  expect(floor.event("attachWorkOrder", attach("M", "TÄ1"))).toEqual(ok(null));
});

test("a container master is compared the same way, and a pattern sees the code without the blanks around it", () => {
  const listed = openFloor({ knownContainers: ["T1 "], containerPattern: "[Tt][0-9]" });
  listed.orders.remember(["N"]);
  expect(listed.event("attachWorkOrder", attach("N", " t1"))).toEqual(ok(null));
});

test("a blank code is no container, neither to attach nor to release", () => {
  const floor = floorWith("N");
  const refused = refuse("InvalidContainer", say("events.container-blank"));
  expect(floor.event("attachWorkOrder", attach("N", " "))).toEqual(refused);
  expect(floor.event("attachWorkOrder", release("N", "\t"))).toEqual(refused);
  expect(floor.orders.find("N")?.state).toBe("waiting");
});

test("an order the ERP has cancelled is attached with a warning, before and after it was begun", () => {
  const warned = ok(null, { message: say("events.order-cancelled", { order: "N", goods: "" }) });
  const waiting = floorWith("N");
  waiting.cancel({ workOrderNumber: "N" });
  expect(waiting.event("attachWorkOrder", attach("N", "T1"))).toEqual(warned);

  const running = floorWith("N");
  running.event("changeStatus", { number: "N", status: 2 });
  running.cancel({ workOrderNumber: "N" });
  expect(running.event("attachWorkOrder", attach("N", "T1"))).toEqual(warned);
});

test("where another system serves the orders, an order not known here is attached, and a report knows it from then on", () => {
  const floor = openFloor({ servesOrders: false });
  expect(floor.report({ workOrdersNumbers: ["E-1"], storageId: "Main", remainingRequests: {} }).ok).toBe(false);
  expect(floor.event("attachWorkOrder", attach("E-1", "T1"))).toEqual(ok(null));
  expect(floor.report({ workOrdersNumbers: ["E-1"], storageId: "Main", remainingRequests: {} })).toMatchObject({
    ok: true,
    data: { placements: [] },
  });
  expect(floor.event("attachWorkOrder", attach("E-2", "T1"))).toMatchObject({ result: "ContainerAlreadyAttached" });
  expect(floor.event("attachWorkOrder", attach("E-1", "T2"))).toMatchObject({ result: "WorkOrderAlreadyAttached" });
});
