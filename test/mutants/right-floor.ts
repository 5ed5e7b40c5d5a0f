import { FileType } from "../../src/contract/enums.ts";
import type { OperationId } from "../../src/contract/operations.ts";
import type { ConfirmStep, PickingSummary, UpdatedLine } from "../../src/contract/schemas/confirm-step.ts";
import type { Attachment } from "../../src/contract/schemas/events.ts";
import type { FileUpload, ReportRequest } from "../../src/contract/schemas/queries.ts";
import type { Item, WorkOrder } from "../../src/contract/schemas/work-order.ts";
import { decodeBase64 } from "../../src/kit/base64.ts";

/** What an operation of the small adapter says, by the name of its result. */
export interface Said {
  readonly result: string;
  readonly data?: unknown;
  readonly message?: string;
  readonly problems?: readonly string[];
}

interface Cancellation {
  readonly workOrderNumber: string;
  readonly requestExternalIdentifier: string;
}

export const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const order = (number: string, items: readonly string[], members: Partial<WorkOrder> = {}): WorkOrder => ({
  number,
  dueDate: "2030-01-31T08:00:00+01:00",
  requests: items.map((itemNumber, index) => ({
    itemNumber,
    requestedAmount: index + 2,
    requestType: 1,
    unitOfMeasure: 0,
    order: index + 1,
  })),
  ...members,
});

/** A warehouse in memory that does everything right. State and behaviour are plain, so that a mutant can change either. */
export function rightFloor() {
  const items = ["100", "A B", "A+C", "50%"].map((number): Item => ({ number, name: `Item ${number}` }));
  const bound = { designatedStorageName: "Main", deliveryNumber: "D-1", alternativeStartNumber: "START-1" };
  const state = {
    items,
    orders: [order("WO-1", ["100", "A B"], bound), order("WO-2", ["A+C", "50%"]), order("WO-3", ["100"])],
    begun: new Set<string>(),
    containers: new Map<string, string>(),
    cancellations: [] as Cancellation[],
    picked: new Map<string, number>(),
    placements: [] as { order: string; itemNumber: string; locationName: string; amount: number }[],
  };
  const key = (text: string) => text.toLowerCase();
  const findOrder = (code: string) =>
    state.orders.find(({ number }) => number === code) ??
    state.orders.find(({ alternativeStartNumber, number }) =>
      [alternativeStartNumber, number].some((one) => key(one ?? "") === key(code)),
    );

  const operations: Record<Exclude<OperationId, "getStatus">, (input: never) => Said> = {
    listWorkOrders: () => ({ result: "Succeed", data: state.orders.filter(({ number }) => !state.begun.has(number)) }),
    findWorkOrderByCode: ({ Code, StorageName }: { Code: string; StorageName?: string }) => {
      const found = findOrder(Code.trim());
      const storage = found?.designatedStorageName ?? StorageName ?? "";
      const isHere = key(storage) === key(StorageName ?? "");
      return found !== undefined && isHere
        ? { result: "Succeed", data: found }
        : { result: "WorkOrderDoesNotExist", message: "Scan again." };
    },
    findPutWallOrders: ({ code }: { code: string }) => {
      const data = state.orders.filter((one) =>
        [one.deliveryNumber, one.alternativeStartNumber, one.number].includes(code),
      );
      return { result: "Succeed", data, ...(data.length === 0 ? { message: "Unknown code." } : {}) };
    },
    parseWorkOrderFile: (upload: FileUpload) => readUpload(upload, "Succeed", orderFrom),
    parseItemFile: (upload: FileUpload) => readUpload(upload, "Success", itemFrom),
    getReport: ({ workOrdersNumbers, remainingRequests }: ReportRequest) => {
      if (!workOrdersNumbers.some(findOrder)) return { result: "WorkOrderDoesNotExist" };
      const missingQuantities = Object.fromEntries(
        Object.entries(remainingRequests).filter(([, amount]) => amount > 0),
      );
      const placements = state.placements
        .filter((one) => workOrdersNumbers.includes(one.order))
        .map(({ itemNumber, locationName, amount }) => ({ itemNumber, locationName, amount }));
      return { result: "Succeed", data: { missingQuantities, placements } };
    },
    getExportColumns: () => ({ result: "Success", data: [{ key: "priority", header: "Priority" }] }),
    getExportValues: (rows: readonly { workOrderNumber: string; externalData?: string | null }[]) => ({
      result: "Success",
      data: rows.map(({ workOrderNumber, externalData }) => ({ workOrderNumber, values: valuesOf(externalData) })),
    }),
    getIndexableValueLabel: () => ({ result: "Success", data: { label: "" } }),
    confirmPutWallPlacement: () => ({ result: "Succeed" }),
    cancelPutWallItem: () => ({ result: "Succeed" }),
    cancelWorkOrderRequest: () => ({ result: "Success" }),
    relocateCartContainers: () => ({ result: "Success" }),
    attachWorkOrder: ({ workOrderNumber, containerCode, isAbandonedOrCancelled }: Attachment) => {
      const { containers } = state;
      if (isAbandonedOrCancelled) {
        if (containers.get(containerCode) === workOrderNumber) containers.delete(containerCode);
        return { result: "Success" };
      }
      if (findOrder(workOrderNumber) === undefined) return { result: "WorkOrderDoesNotExist" };
      if (containers.get(containerCode) === workOrderNumber) return { result: "Success" };
      if ([...containers.values()].includes(workOrderNumber)) return { result: "WorkOrderAlreadyAttached" };
      if (containers.has(containerCode)) return { result: "ContainerAlreadyAttached" };
      containers.set(containerCode, workOrderNumber);
      return { result: "Success" };
    },
    changeStatus: () => ({ result: "Succeed" }),
    confirmStep: (step: ConfirmStep) => confirm(step, step.amountToConfirmPickingSummary ?? null),
    confirmCartStep: (step: ConfirmStep & { amountToConfirmSummary: PickingSummary }) =>
      confirm(step, step.amountToConfirmSummary),
    getItem: ({ number }: { number: string }) => {
      const found = state.items.find((one) => key(one.number) === key(number));
      return found === undefined ? { result: "ItemDoesNotExist" } : { result: "Succeed", data: found };
    },
    getItemImage: ({ number }: { number: string }) =>
      state.items.some((one) => one.number === number)
        ? { result: "Success", data: dot }
        : { result: "ImageDoesNotExist" },
  };

  function confirm(step: ConfirmStep, summary: PickingSummary | null): Said {
    state.begun.add(step.workOrderNumber);
    const amount = (summary?.containersBreakdown ?? []).reduce(
      (sum, one) => sum + (one.amountToConfirmInBaseUnitOfMeasure ?? 0),
      0,
    );
    const requested = step.requestAmountInBaseUnitOfMeasure ?? 0;
    const picked = Math.min(requested, requested - (step.requestRemainingAmountInBaseUnitOfMeasure ?? 0) + amount);
    state.picked.set(`${step.workOrderNumber} ${step.requestId}`, picked);
    const { itemNumber, workOrderNumber } = step;
    if (itemNumber && amount > 0)
      state.placements.push({ order: workOrderNumber, itemNumber, locationName: summary?.locationName ?? "", amount });
    const cancelled = state.cancellations.filter((one) => one.workOrderNumber === workOrderNumber);
    const model = step.updateWorkOrderRequest;
    if (cancelled.length === 0 || !model) return { result: "Success", data: { updateWorkOrderRequest: null } };
    const itemRequests = model.itemRequests?.map((line) =>
      cancelled.some((one) => one.requestExternalIdentifier === line.externalIdentifier)
        ? lowered(line, state.picked.get(`${workOrderNumber} ${line.requestId}`) ?? 0)
        : line,
    );
    return { result: "Success", data: { updateWorkOrderRequest: { ...model, itemRequests } } };
  }

  const take: Record<string, (one: never) => void> = {
    "work-orders": (one: WorkOrder) => state.orders.push(one),
    items: (one: Item & { image?: string }) => state.items.push({ number: one.number }),
    cancellations: (one: Cancellation) => state.cancellations.push(one),
  };
  return { state, operations, take };
}
export type RightFloor = ReturnType<typeof rightFloor>;

const lowered = (line: UpdatedLine, picked: number): UpdatedLine =>
  picked > 0 ? { ...line, requestedAmount: picked } : { ...line, isCancelled: true };

function valuesOf(externalData: string | null | undefined): Record<string, string> {
  try {
    const { priority } = Object(JSON.parse(externalData ?? "{}"));
    return priority === undefined ? {} : { priority: String(priority) };
  } catch {
    return {};
  }
}

type Row = Record<string, unknown>;

function readUpload({ fileContent, fileType }: FileUpload, success: string, make: (row: Row) => unknown): Said {
  const bytes = decodeBase64(fileContent);
  if (bytes === null || bytes.length === 0)
    return { result: "InvalidInput", problems: ["The file is empty or damaged."] };
  const isText = !bytes.some((byte) => byte < 9);
  if (!isText || (fileType !== FileType.Json && fileType !== FileType.Csv)) return { result: "FileNotSupported" };
  const rows =
    fileType === FileType.Json ? fromJson(Buffer.from(bytes).toString()) : fromCsv(Buffer.from(bytes).toString());
  const made = rows.map(make);
  return made.includes(null)
    ? { result: "InvalidInput", problems: ["Row 1: something is missing."] }
    : { result: success, data: made };
}

function fromJson(text: string): Row[] {
  const value: unknown = JSON.parse(text);
  if (Array.isArray(value)) return value;
  const { workOrders, items } = Object(value);
  return workOrders ?? items ?? [value];
}

function fromCsv(text: string): Row[] {
  const [head = "", ...lines] = text.trim().split("\r\n");
  const names = head.split(";");
  return lines.map((line) => {
    const row = Object.fromEntries(line.split(";").map((cell, index) => [names[index] ?? "", cell]));
    const { itemNumber, requestedAmount, dueDate, ...rest } = row;
    return itemNumber === undefined
      ? row
      : {
          ...rest,
          dueDate: `${dueDate}T00:00:00Z`,
          requests: [{ itemNumber, requestedAmount: Number(requestedAmount) }],
        };
  });
}

const itemFrom = (row: Row): unknown => (row["number"] ? row : null);
function orderFrom(row: Row): unknown {
  const requests = row["requests"];
  if (!row["number"] || !Array.isArray(requests) || requests.length === 0) return null;
  const completed = requests.map((line, index) => ({ requestType: 1, unitOfMeasure: 0, order: index + 1, ...line }));
  return { ...row, requests: completed };
}
