import type { EventId, InputOf } from "../../contract/operations.ts";
import type { Relocation } from "../../contract/schemas/events.ts";
import { containerLane as container, orderLane as order } from "../../operation/lane.ts";

/**
 * The ordering keys of an event. Attach and relocate have the lanes of their containers as well: a release from order
 * A must reach the external system before the same container is attached to order B.
 */
const lanesByEvent: { readonly [Id in EventId]: (input: InputOf<Id>) => readonly string[] } = {
  confirmPutWallPlacement: (input) => [order(input.workOrderNumber)],
  cancelPutWallItem: (input) => [order(input.workOrderNumber)],
  cancelWorkOrderRequest: (input) => [order(input.workOrderNumber)],
  confirmStep: (input) => [order(input.workOrderNumber)],
  confirmCartStep: (input) => [order(input.workOrderNumber)],
  changeStatus: (input) => [order(input.number)],
  attachWorkOrder: (input) => [order(input.workOrderNumber), container(input.containerCode)],
  relocateCartContainers: (input: readonly Relocation[]) => [
    ...new Set(input.flatMap((element) => [order(element.workOrder.number), container(element.containerCode)])),
  ],
};

export function lanesOfEvent(id: EventId, input: unknown): readonly string[] {
  // The input was checked against the schema of this row.
  return (lanesByEvent[id] as (input: unknown) => readonly string[])(input);
}

export const orderLane = order;
