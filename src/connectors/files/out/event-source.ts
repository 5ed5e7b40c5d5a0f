import { operationIds, operationRow } from "../../../contract/operations.ts";
import type { Delivery } from "../../../sdk/connector.ts";
import { orderOfLane } from "../../../sdk/lane.ts";
import {
  elementShape,
  leafShape,
  objectShape,
  type SourceShape,
  shapeOfSchema,
} from "../../../sdk/mapping/source-shape.ts";

/** What the mapping of an event file reads. Nothing in it changes from attempt to attempt. */
export interface EventSource {
  readonly entryId: string;
  readonly seq: number;
  readonly topic: string;
  readonly receivedAt: string;
  readonly orderNumber: string;
  readonly possibleRepeatOf?: string;
  /** The platform's body; of a list one element. */
  readonly data: unknown;
}

export function eventSource(delivery: Delivery, data: unknown): EventSource {
  const { entryId, seq, topic, receivedAt, lanes, possibleRepeatOf } = delivery;
  const orderNumber = lanes.map(({ lane }) => orderOfLane(lane)).find((number) => number !== null) ?? "";
  return {
    ...{ entryId, seq, topic, receivedAt: new Date(receivedAt).toISOString(), orderNumber },
    ...(possibleRepeatOf === undefined ? {} : { possibleRepeatOf }),
    data,
  };
}

/** What a mapping can find in the events of a topic; of what is no row of the contract, anything. */
export function eventSourceShape(topic: string): SourceShape {
  const id = operationIds.find((one) => one === topic);
  const body = id === undefined ? undefined : operationRow(id).body;
  const own = ["entryId", "seq", "topic", "receivedAt", "orderNumber", "possibleRepeatOf"];
  return objectShape({
    ...Object.fromEntries(own.map((name) => [name, leafShape])),
    data: elementShape(shapeOfSchema(body)),
  });
}
