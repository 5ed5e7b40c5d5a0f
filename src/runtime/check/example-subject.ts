import { shapeOf } from "../../contract/derive/component-registry.ts";
import { sampleValue } from "../../contract/derive/sample-value.ts";
import {
  type RequestLine,
  requestLineSchema,
  type WorkOrder,
  workOrderSchema,
} from "../../contract/schemas/work-order.ts";
import type { EventSubject } from "../../operation/event-subject.ts";
import type { CheckedRecord } from "./try-queries.ts";

/** The first order that the system has sent and that fits the contract; undefined if there is none. */
export function firstOrder(records: readonly CheckedRecord[]): WorkOrder | undefined {
  const serves: readonly CheckedRecord["serves"][] = ["listWorkOrders", "workOrders", "findPutWallOrders"];
  const found = records.find((one) => serves.includes(one.serves) && one.problems.length === 0);
  // Without problems, it was checked against the contract.
  return found?.record as WorkOrder | undefined;
}

/** The order and the line of example events: those of the contract's examples, or of an order that the system has. */
export function exampleSubject(known?: WorkOrder): EventSubject {
  // The samples are made from these schemas.
  const order = known ?? (sampleValue(shapeOf(workOrderSchema), "full") as WorkOrder);
  // As above.
  const line = known?.requests[0] ?? (sampleValue(shapeOf(requestLineSchema), "full") as RequestLine);
  const base = { confirmedAmountInBaseUnitOfMeasure: 1, pickedAmountInBaseUnitOfMeasure: 1 };
  const amounts = { ...base, confirmedAmount: 1, pickedAmount: 1, requestedAmountInBaseUnitOfMeasure: 1 };
  return {
    order: { ...order, data: membersIn(known?.externalData) },
    line: { ...line, data: membersIn(known?.requests[0]?.requestExternalData), ...amounts },
  };
}

function membersIn(json: string | null | undefined): Readonly<Record<string, unknown>> {
  try {
    const found: unknown = JSON.parse(json ?? "");
    return typeof found === "object" && found !== null && !Array.isArray(found) ? { ...found } : {};
  } catch {
    return {};
  }
}

/**
 * Returns an example event about an order that the system has: the ids of the contract's example may be none that the
 * system could have, such as a text where it has numbers.
 */
export function aboutOrder(event: unknown, order: WorkOrder): unknown {
  const [line] = order.requests;
  const known: Readonly<Record<string, unknown>> = {
    workOrderNumber: order.number,
    workOrderExternalIdentifier: order.externalIdentifier,
    workOrderExternalData: order.externalData,
    itemNumber: line?.itemNumber,
    itemExternalIdentifier: line?.itemExternalIdentifier,
    requestExternalIdentifier: line?.requestExternalIdentifier,
  };
  const replaced = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replaced);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        if (name === "workOrder") return [name, { ...Object(replaced(member)), number: order.number }];
        return [name, (Object.hasOwn(known, name) ? known[name] : undefined) ?? replaced(member)];
      }),
    );
  };
  return replaced(event);
}
