import type { DerivedEventId } from "../../contract/derived-events.ts";
import { WorkOrderStatus } from "../../contract/enums.ts";
import type { ConfirmCartStep } from "../../contract/schemas/confirm-step.ts";
import type { Relocation } from "../../contract/schemas/events.ts";
import type { Emission, ProjectionEntry } from "../../journal/inline-projection.ts";
import { pick } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { orderLane } from "../../operation/lane.ts";
import { openContainerTable } from "../events/container-table.ts";
import { remainingOf } from "../ledger/ledger-line.ts";
import type { Ledger } from "../ledger/open-ledger.ts";
import { fold, type OrderStore } from "../order-store.ts";
import { containerRow, followUpRow } from "../store-rows.ts";
import { openFinishTables } from "./finish-tables.ts";
import { containerFinished, type FinishedOrder, orderFinished } from "./finished-events.ts";
import type { DerivedTargets, Finishing } from "./finishing.ts";

/** The members of an event's payload that are read here. The payload was validated against its schema. */
type EventFields = Partial<
  Pick<
    ConfirmCartStep,
    | "workOrderNumber"
    | "userEmail"
    | "workOrderExternalIdentifier"
    | "workOrderExternalData"
    | "workOrderTypeName"
    | "updateWorkOrderRequest"
  >
> & { readonly number?: string; readonly status?: number };

const completed: ReadonlySet<number | undefined> = new Set([
  WorkOrderStatus.Completed,
  WorkOrderStatus.CompletedWithCancelations,
]);

export function openFinishing({
  database,
  orders,
  ledger,
  targets,
}: {
  readonly database: Database;
  readonly orders: OrderStore;
  readonly ledger: Ledger;
  readonly targets: DerivedTargets;
}): Finishing {
  const tables = openFinishTables(database);
  const containers = openContainerTable(database);
  const attached = database.query("SELECT code FROM container WHERE order_number = ?", pick(containerRow, "code"));
  const leader = database.query(
    "SELECT order_number FROM follow_up WHERE number = ?",
    pick(followUpRow, "order_number"),
  );

  const finishedOrder = (number: string, entry: ProjectionEntry): FinishedOrder => {
    const stored = orders.find(number);
    // It is an event of the floor or a push; members that it does not have are undefined.
    const fields = (Array.isArray(entry.payload) ? {} : entry.payload) as EventFields;
    const isOwn = fields.workOrderNumber === number;
    const shares = tables.sharesOf(number);
    const codes = [...shares.map(({ code }) => code), ...attached.all(number).map(({ code }) => code)];
    return {
      number,
      workOrder: stored?.workOrder ?? null,
      fields: {
        externalIdentifier: isOwn ? (fields.workOrderExternalIdentifier ?? null) : null,
        externalData: isOwn ? (fields.workOrderExternalData ?? null) : null,
        workOrderTypeName: isOwn ? (fields.workOrderTypeName ?? null) : null,
      },
      followUpOf: leader.get(number)?.order_number ?? null,
      ledgerLines: ledger.linesOf(number),
      shares,
      // Codes are scanned in any letter case: the first spelling stands for all.
      containers: [...new Map(codes.toReversed().map((code) => [fold(code), code])).values()].reverse(),
      isCancelled: stored?.state === "cancelled",
      finishedAt: entry.receivedAt,
      userEmail: fields.userEmail ?? null,
    };
  };

  const emission = (topic: DerivedEventId, number: string, payload: object): Emission[] => {
    const target = targets[topic];
    return target === undefined ? [] : [{ topic, lanes: [orderLane(number)], payload, target }];
  };

  const finishContainer = (
    order: FinishedOrder,
    code: string,
    ending: { readonly destination: string | null; readonly isOrderFinished: boolean },
    entry: ProjectionEntry,
  ): Emission[] =>
    targets.containerFinished !== undefined && tables.finish(order.number, fold(code), entry.id)
      ? emission("containerFinished", order.number, containerFinished(order, { code, ...ending }))
      : [];

  const finishOrder = (number: string, entry: ProjectionEntry): Emission[] => {
    if (!tables.finish(number, "", entry.id)) return [];
    const order = finishedOrder(number, entry);
    const ending = { destination: null, isOrderFinished: true };
    return [
      // Containers come first: goods are packed before they are shipped.
      ...order.containers.flatMap((code) => finishContainer(order, code, ending, entry)),
      ...(targets.orderFinished === undefined ? [] : emission("orderFinished", number, orderFinished(order))),
    ];
  };

  /**
   * The end of an order that is not stored here is known only from the platform: from a status, or from a model in
   * which all lines are done.
   */
  const endedElsewhere = ({ topic, payload }: ProjectionEntry): string | undefined => {
    // Validated against the schema of its topic, as above.
    const fields = payload as EventFields;
    const number = fields.workOrderNumber ?? fields.number;
    if (number === undefined || orders.stateOf(number) !== undefined) return undefined;
    if (topic === "changeStatus") return completed.has(fields.status) ? number : undefined;
    if (topic !== "confirmStep" && topic !== "confirmCartStep") return undefined;
    const lines = fields.updateWorkOrderRequest?.itemRequests ?? [];
    if (lines.length === 0) return undefined;
    const ledgerLines = new Map(ledger.ledgerLinesOf(number).map((ledgerLine) => [ledgerLine.requestId, ledgerLine]));
    const isDone = lines.every(({ requestId, isCancelled }) => {
      const ledgerLine = ledgerLines.get(requestId ?? null);
      return isCancelled === true || (ledgerLine !== undefined && remainingOf(ledgerLine) <= 0);
    });
    return isDone ? number : undefined;
  };

  const moved = (relocations: readonly Relocation[], entry: ProjectionEntry): Emission[] =>
    relocations.flatMap(({ containerCode, destinationLocationName: destination, workOrder: { number } }) => {
      const order = finishedOrder(number, entry);
      const state = orders.stateOf(number);
      const isOrderFinished = state === "finished" || state === "cancelled";
      const known = order.containers.find((code) => fold(code) === fold(containerCode));
      const code = known ?? containers.spellingOf(containerCode);
      return finishContainer(order, code, { destination, isOrderFinished }, entry);
    });

  return {
    share: (orderNumber, position, { containersBreakdown }) => {
      for (const { containerCode, amountToConfirmInBaseUnitOfMeasure: amount } of containersBreakdown ?? []) {
        if (!containerCode || !amount) continue;
        tables.addShare(orderNumber, { code: containers.spellingOf(containerCode), position, amount });
      }
    },
    drain: (entry) => {
      // An order cancelled before anybody began has finished nothing.
      const ended = orders.drainEnded().filter((number) => orders.find(number)?.worked === true);
      const elsewhere = endedElsewhere(entry);
      // Validated against the schema of its topic.
      const relocations = entry.topic === "relocateCartContainers" ? (entry.payload as readonly Relocation[]) : [];
      return [
        ...[...new Set([...ended, ...(elsewhere === undefined ? [] : [elsewhere])])].flatMap((number) =>
          finishOrder(number, entry),
        ),
        ...moved(relocations, entry),
      ];
    },
  };
}
