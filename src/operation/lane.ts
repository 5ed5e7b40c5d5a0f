import type { EventId, InputOf } from "../contract/operations.ts";
import type { Relocation } from "../contract/schemas/events.ts";

const orderPrefix = "wo:";
const containerPrefix = "ct:";
const itemPrefix = "item:";
const platformPrefix = "in:";

/** The lane of a work order: its entries reach the external system one at a time, in order of acceptance. */
export const orderLane = (number: string): string => orderPrefix + number;
/** The lane of an item: what is pushed about it reaches the platform in order of acceptance. */
export const itemLane = (number: string): string => itemPrefix + number;
/** Codes of containers are typed and scanned in any letter case. */
export const foldedCode = (code: string): string => code.trim().normalize("NFC").toLowerCase();
/** Events of one container must stay in order whatever the spelling. */
const containerLane = (code: string): string => containerPrefix + foldedCode(code);

/**
 * The lane of the same order towards the platform. It is separate: a cancellation that the platform refuses must not
 * delay the floor's events about the order to the external system.
 */
export const laneToPlatform = (lane: string): string => platformPrefix + lane;

/** The lanes of a work order in both directions. */
export const lanesOfOrder = (number: string): readonly string[] => [
  orderLane(number),
  laneToPlatform(orderLane(number)),
];

/** The lanes of a container in both directions. */
export const lanesOfContainer = (code: string): readonly string[] => [
  containerLane(code),
  laneToPlatform(containerLane(code)),
];

/** The lane without its direction. */
export const bareLane = (lane: string): string =>
  lane.startsWith(platformPrefix) ? lane.slice(platformPrefix.length) : lane;

/** The work order of a lane; null for a lane of another kind. */
export const orderOfLane = (lane: string): string | null =>
  bareLane(lane).startsWith(orderPrefix) ? bareLane(lane).slice(orderPrefix.length) : null;

/** The number of the work order or item of a lane; null for a lane of another kind. */
export function numberOfLane(lane: string): string | null {
  const bare = bareLane(lane);
  return orderOfLane(bare) ?? (bare.startsWith(itemPrefix) ? bare.slice(itemPrefix.length) : null);
}

/**
 * The lanes of an event. Attach and relocate also have the lanes of their containers: a release from order A must reach
 * the external system before the same container is attached to order B.
 */
const lanesByEvent: { readonly [Id in EventId]: (input: InputOf<Id>) => readonly string[] } = {
  confirmPutWallPlacement: (input) => [orderLane(input.workOrderNumber)],
  cancelPutWallItem: (input) => [orderLane(input.workOrderNumber)],
  cancelWorkOrderRequest: (input) => [orderLane(input.workOrderNumber)],
  confirmStep: (input) => [orderLane(input.workOrderNumber)],
  confirmCartStep: (input) => [orderLane(input.workOrderNumber)],
  changeStatus: (input) => [orderLane(input.number)],
  attachWorkOrder: (input) => [orderLane(input.workOrderNumber), containerLane(input.containerCode)],
  relocateCartContainers: (input: readonly Relocation[]) => [
    ...new Set(input.flatMap((element) => [orderLane(element.workOrder.number), containerLane(element.containerCode)])),
  ],
};

export function lanesOfEvent(id: EventId, input: unknown): readonly string[] {
  // The input was checked against the schema of this very row.
  return (lanesByEvent[id] as (input: unknown) => readonly string[])(input);
}
