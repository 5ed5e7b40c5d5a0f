import { RE2JS } from "re2js";
import { type Message, say } from "../../../messages/message.ts";
import { ok, refuse } from "../../../sdk/outcome.ts";
import type { Family } from "../changes/family.ts";
import { cancelledText } from "../changes/operator-text.ts";
import { fold } from "../fold.ts";
import type { EmbeddedOptions } from "../options.ts";
import type { ContainerTable } from "./container-table.ts";
import type { EventHandler, EventNeeds } from "./event-handler.ts";

interface AttachNeeds extends EventNeeds {
  readonly containers: ContainerTable;
  readonly options: Pick<EmbeddedOptions, "containerPattern" | "knownContainers">;
}

/** Here the embedded system is the authority: one order on one container, and only orders it knows. */
export function attachWorkOrder(needs: AttachNeeds): EventHandler<"attachWorkOrder"> {
  const { orders, changes, containers, options } = needs;
  // Not the built-in engine: a careless pattern must not stall the writer of every event.
  const pattern = options.containerPattern === undefined ? null : RE2JS.compile(options.containerPattern);
  const master = options.knownContainers === undefined ? null : new Set(options.knownContainers.map(fold));

  /** Containers go round: an order that has ended no longer holds its own, since its end releases nothing by itself. */
  const isHeld = (orderNumber: string): boolean => {
    const state = orders.find(orderNumber)?.state;
    return state !== "finished" && state !== "cancelled";
  };

  return ({ workOrderNumber: order, containerCode, isAbandonedOrCancelled }, entry) => {
    const container = containerCode.trim();
    if (isAbandonedOrCancelled === true) {
      if (container === "") return refuse("InvalidContainer", say("events.container-blank"));
      containers.release(container, order, entry.receivedAt);
      return ok(null);
    }
    if (!orders.isKnown(order)) {
      return refuse("WorkOrderDoesNotExist", say("events.attach-order-unknown", { order }));
    }
    if (container === "") return refuse("InvalidContainer", say("events.container-blank"));
    if (pattern !== null && !pattern.matches(container)) {
      return refuse("InvalidContainer", say("events.container-invalid", { container }));
    }
    if (master !== null && !master.has(fold(container))) {
      return refuse("ContainerDoesNotExist", say("events.container-unknown", { container }));
    }
    const present = containers.containerOf(order);
    if (present !== null && fold(present) !== fold(container)) {
      return refuse("WorkOrderAlreadyAttached", say("events.order-on-other-container", { order, container: present }));
    }
    const other = containers.orderOn(container);
    if (other !== null && other !== order && isHeld(other)) {
      return refuse("ContainerAlreadyAttached", say("events.container-on-other-order", { container, order: other }));
    }
    if (present === null) containers.attach(container, order, entry.receivedAt);
    orders.sign(order);
    const family = changes.read(order);
    if (family !== undefined) changes.settle(order, entry);
    const message = cancelledMessage(order, family);
    return ok(null, message === undefined ? {} : { message });
  };

  function cancelledMessage(order: string, family: Family | undefined): Message | undefined {
    if (family !== undefined) return cancelledText(family, order);
    return orders.stateOf(order) === "cancelled" ? say("events.order-cancelled", { order, amount: 0 }) : undefined;
  }
}
