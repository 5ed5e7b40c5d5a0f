import type { UpdateWorkOrderRequest } from "../../../src/contract/schemas/confirm-step.ts";
import type { WorkOrder } from "../../../src/contract/schemas/work-order.ts";
import { lineKey } from "./apply-changes.ts";

/** A line in the platform's own copy of an order; amounts in its base unit. */
export interface CopyLine {
  readonly id: number;
  readonly key: string;
  readonly externalId: string | null;
  readonly item: string;
  readonly lot: string | null;
  readonly unit: number;
  requested: number;
  /** What the platform counts as picked under this request id. */
  counted: number;
  isCancelled: boolean;
}

export interface Copy {
  readonly number: string;
  lines: CopyLine[];
  offer: UpdateWorkOrderRequest | undefined;
  /** Its latest step as it was sent. */
  lastStep:
    | { readonly topic: string; readonly body: object; readonly received: UpdateWorkOrderRequest | null }
    | undefined;
  /** Request ids that count picks of earlier ones and have not yet said so by a step. */
  readonly unsaid: Set<number>;
}

/** The simulated platform: what it fetched, and what it works with. */
export function openPlatform(factorOf: (item: string) => number) {
  const fetched = new Map<string, WorkOrder[]>();
  const copies = new Map<string, Copy>();
  let lastId = 0;

  const linesOf = (order: WorkOrder): CopyLine[] =>
    order.requests.map((request) => {
      lastId += 1;
      const { itemNumber: item, requestedAmount, unitOfMeasure } = request;
      const externalId = request.requestExternalIdentifier ?? null;
      const lot = request.lotNumber ?? null;
      return {
        ...{ id: lastId, key: lineKey({ externalId, item, lot }), externalId, item, lot, unit: unitOfMeasure ?? 0 },
        ...{ requested: requestedAmount * factorOf(item), counted: 0, isCancelled: false },
      };
    });

  return {
    copies,
    fetch: (order: WorkOrder) => {
      fetched.set(order.number, [...(fetched.get(order.number) ?? []), order]);
    },
    fetchedOf: (number: string, isStale: boolean): WorkOrder | undefined => {
      const all = fetched.get(number) ?? [];
      return isStale ? all[0] : all.at(-1);
    },
    begin: (order: WorkOrder): Copy => {
      const copy: Copy = {
        number: order.number,
        lines: linesOf(order),
        offer: undefined,
        lastStep: undefined,
        unsaid: new Set(),
      };
      copies.set(order.number, copy);
      return copy;
    },
    /** New request ids for all lines; carried over where every picked line keeps something to do. */
    beginAgain: (order: WorkOrder, old: Copy, isCarriedOver: boolean) => {
      const lines = linesOf(order);
      const countedBefore = (key: string) =>
        old.lines.filter((line) => line.key === key).reduce((total, { counted }) => total + counted, 0);
      // The first step under a new id has no model then: without an external id it would not say which line it means.
      const isTold = lines.every(
        ({ externalId, item, lot }) =>
          externalId !== null || (lot === null && lines.filter((other) => other.item === item).length === 1),
      );
      // Nor would it say of lines that nothing tells apart whether the others of them are still there.
      const isUnique = [lines, old.lines].every((each) => new Set(each.map(({ key }) => key)).size === each.length);
      const canCarry = isUnique && isTold && lines.every(({ key, requested }) => requested > countedBefore(key));
      old.unsaid.clear();
      if (isCarriedOver && canCarry) {
        for (const line of lines) {
          line.counted = countedBefore(line.key);
          if (line.counted > 0) old.unsaid.add(line.id);
        }
      }
      old.lines = lines;
      old.lastStep = undefined;
      old.offer = undefined;
    },
  };
}
export type Platform = ReturnType<typeof openPlatform>;

/** The current model of a running order, as a step carries it. */
export const modelOf = (copy: Copy): UpdateWorkOrderRequest => ({
  id: 42,
  description: "as received",
  itemRequests: copy.lines.map((line, index) => ({
    ...{ requestId: line.id, itemNumber: line.item, itemUnitOfMeasure: line.unit as 0 | 1, type: 1 },
    ...{ requestedAmount: line.requested, isCancelled: line.isCancelled, order: index + 1 },
    ...{ lotNumber: line.lot, externalIdentifier: line.externalId },
  })),
});

/** Late or at once: never below what was picked meanwhile, and never back up. */
export function takeOver(copy: Copy, offer: UpdateWorkOrderRequest): void {
  for (const { requestId, requestedAmount, isCancelled } of offer.itemRequests ?? []) {
    const line = copy.lines.find(({ id }) => id === requestId);
    if (line === undefined) continue;
    if (isCancelled === true) line.isCancelled = true;
    line.requested = Math.min(line.requested, Math.max(line.counted, requestedAmount ?? line.requested));
  }
  copy.offer = undefined;
}
