import { RE2JS } from "re2js";
import { pick, row, text } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { type Message, say } from "../../messages/message.ts";
import { ok, refuse } from "../../operation/outcome.ts";
import { stopText } from "../changes/offers/operator-text.ts";
import type { OrderGroup } from "../changes/order-group.ts";
import type { EmbeddedOptions } from "../options.ts";
import { fold } from "../order-store.ts";
import { containerRow, relocationRow } from "../store-rows.ts";
import type { EventHandler, EventNeeds } from "./event-handler.ts";

/** Container codes compare without letter case and surrounding blanks, as in every scan. The first spelling is kept. */
export interface ContainerTable {
  /** The spelling under which the container was first seen. */
  readonly spellingOf: (code: string) => string;
  /** The order on this container; null when there is none. */
  readonly orderOn: (code: string) => string | null;
  /** The container this order is on; null when there is none. */
  readonly containerOf: (orderNumber: string) => string | null;
  readonly attach: (code: string, orderNumber: string, at: number) => void;
  /** Releases the container if this order is on it; another order stays attached. */
  readonly release: (code: string, orderNumber: string, at: number) => void;
  readonly move: (code: string, location: string, at: number) => void;
}

const codeRow = pick(containerRow, "code");

export function openContainerTable(database: Database): ContainerTable {
  const spelling = database.query("SELECT code FROM container WHERE folded = ? LIMIT 1", codeRow);
  const orderOn = database.query(
    "SELECT order_number AS orderNumber FROM container WHERE folded = ? AND order_number IS NOT NULL LIMIT 1",
    row({ orderNumber: text }),
  );
  const containerOf = database.query("SELECT code FROM container WHERE order_number = ? LIMIT 1", codeRow);
  const attach = database.statement(
    `INSERT INTO container (code, folded, order_number, changed_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET order_number = excluded.order_number, changed_at = excluded.changed_at`,
  );
  const release = database.statement(
    "UPDATE container SET order_number = NULL, changed_at = ? WHERE folded = ? AND order_number = ?",
  );
  const move = database.statement(
    `INSERT INTO container (code, folded, location, changed_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET location = excluded.location, changed_at = excluded.changed_at`,
  );
  const spellingOf = (code: string): string => spelling.get(fold(code))?.code ?? code.trim();
  return {
    spellingOf,
    orderOn: (code) => orderOn.get(fold(code))?.orderNumber ?? null,
    containerOf: (orderNumber) => containerOf.get(orderNumber)?.code ?? null,
    attach: (code, orderNumber, at) => {
      attach.run(spellingOf(code), fold(code), orderNumber, at);
    },
    release: (code, orderNumber, at) => {
      release.run(at, fold(code), orderNumber);
    },
    move: (code, location, at) => {
      move.run(spellingOf(code), fold(code), location, at);
    },
  };
}

interface RelocateNeeds extends EventNeeds {
  readonly database: Database;
  readonly containers: ContainerTable;
}

const moveRow = pick(relocationRow, "order_number", "location", "requests");

export function relocateCartContainers(needs: RelocateNeeds): EventHandler<"relocateCartContainers"> {
  const { database, orders, changes, containers } = needs;
  const latest = database.query(
    "SELECT order_number, location, requests FROM relocation WHERE container_code = ? ORDER BY id DESC LIMIT 1",
    moveRow,
  );
  const insert = database.statement(
    `INSERT INTO relocation (container_code, order_number, location, requests, entry_id, moved_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  return (relocations, entry) => {
    const problems = relocations.flatMap(({ containerCode }, index) =>
      containerCode.trim() === "" ? [say("input.filled-text", { field: `[${index}].containerCode` })] : [],
    );
    if (problems.length > 0) return refuse("InvalidInput", say("events.container-blank"), { problems });
    for (const { containerCode, destinationLocationName: location, workOrder } of relocations) {
      orders.recordWork(workOrder.number);
      if (changes.read(workOrder.number) !== undefined) changes.settle(workOrder.number, entry);
      const code = containers.spellingOf(containerCode);
      const requests = JSON.stringify(workOrder.requests ?? []);
      const last = latest.get(code);
      const isSame =
        last?.order_number === workOrder.number && last.location === location && last.requests === requests;
      // The container is there already: the same event again is not a second move.
      if (isSame) continue;
      insert.run(code, workOrder.number, location, requests, entry.id, entry.receivedAt);
      containers.move(code, location, entry.receivedAt);
    }
    return ok(null);
  };
}

interface AttachNeeds extends EventNeeds {
  readonly containers: ContainerTable;
  readonly options: Pick<EmbeddedOptions, "containerPattern" | "knownContainers" | "servesOrders">;
}

/** Attaches one order to one container. If the embedded store serves all orders, the order must be known. */
export function attachWorkOrder(needs: AttachNeeds): EventHandler<"attachWorkOrder"> {
  const { orders, changes, containers, options } = needs;
  // RE2 instead of the built-in engine: a careless pattern must not block the writer of every event.
  const pattern = options.containerPattern === undefined ? null : RE2JS.compile(options.containerPattern);
  const master = options.knownContainers === undefined ? null : new Set(options.knownContainers.map(fold));

  /**
   * Containers are reused. The end of an order releases nothing by itself, so an ended order does not hold its
   * container.
   */
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
    // If another system serves the orders, a number unknown here may be one of its own: only that system can refuse it.
    if (options.servesOrders !== false && !orders.isKnown(order)) {
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
    orders.recordWork(order);
    // From now on a report finds the order.
    if (!orders.isKnown(order)) orders.remember([order]);
    const group = changes.read(order);
    if (group !== undefined) changes.settle(order, entry);
    const message = cancelledMessage(order, group);
    return ok(null, message === undefined ? {} : { message });
  };

  function cancelledMessage(order: string, group: OrderGroup | undefined): Message | undefined {
    if (group !== undefined) return stopText(group, order);
    return orders.stateOf(order) === "cancelled" ? say("events.order-cancelled", { order, goods: "" }) : undefined;
  }
}
