import { RequestType, UnitOfMeasure } from "../../contract/enums.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import type { FloorItem } from "./generate-items.ts";

const linesPerOrder = 20;
/** Two different amounts show how many base units a unit has; the third is for a shelf that was empty. */
const amounts = [1, 2, 3] as const;

/**
 * Orders that are picked before anything changes: of items that are not counted in pieces the adapter has to see how
 * many base units a unit has, or no change to them can be counted.
 */
export function generateTeaching(run: string, items: readonly FloorItem[], dueDate: string): WorkOrder[] {
  const counted = items.filter(({ unit }) => unit !== UnitOfMeasure.Piece);
  const chunks = Array.from({ length: Math.ceil(counted.length / linesPerOrder) }, (_, index) =>
    counted.slice(index * linesPerOrder, (index + 1) * linesPerOrder),
  );
  return chunks.flatMap((chunk, index) =>
    amounts.map((requestedAmount): WorkOrder => {
      const number = `${run}-U${index + 1}-${requestedAmount}`;
      return {
        number,
        description: "Order before the shift",
        dueDate,
        workOrderTypeName: "Pick",
        requests: chunk.map((item, position) => ({
          itemNumber: item.number,
          itemName: item.name,
          requestedAmount,
          unitOfMeasure: item.unit,
          requestExternalIdentifier: `${number}-${position + 1}`,
          requestType: RequestType.PickItem,
          order: position + 1,
        })),
      };
    }),
  );
}
