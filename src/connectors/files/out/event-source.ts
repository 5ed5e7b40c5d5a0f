import { operationIds, operationRow } from "../../../contract/operations.ts";
import {
  elementShape,
  leafShape,
  objectShape,
  type SourceShape,
  shapeOfSchema,
} from "../../../mapping/source/source-shape.ts";
import { Fault } from "../../../operation/fault.ts";
import { orderOfLane } from "../../../operation/lane.ts";
import type { Delivery } from "../../../sdk/connector.ts";
import { namePart } from "../store/file-store.ts";

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

const parts: Readonly<Record<string, (event: EventSource) => string>> = {
  entryId: ({ entryId }) => entryId,
  // As many digits as a journal will ever have, so that names sort as the events came.
  seq: ({ seq }) => String(seq).padStart(10, "0"),
  topic: ({ topic }) => topic,
  orderNumber: ({ orderNumber }) => orderNumber || "none",
  date: ({ receivedAt }) => receivedAt.slice(0, 10).replaceAll("-", ""),
};
const maxPartBytes = 60;

/** The name of an event's file by its pattern. The same entry has the same name on every attempt. */
export function eventName(pattern: string): (event: EventSource) => string {
  if (!pattern.includes("{entryId}")) {
    throw new Fault(
      "invalid",
      `name: ${pattern} needs {entryId}; without it one event would take the place of another`,
    );
  }
  if (/[/\\\0]/.test(pattern) || /^[.-]/.test(pattern)) {
    throw new Fault("invalid", `name: ${pattern} must be a plain file name; the folder is given by \`folder\``);
  }
  for (const [, name = ""] of pattern.matchAll(/\{([^}]*)\}/g)) {
    if (!Object.hasOwn(parts, name)) {
      throw new Fault(
        "invalid",
        `name: there is no {${name}}; there are ${Object.keys(parts)
          .map((it) => `{${it}}`)
          .join(", ")}`,
      );
    }
  }
  return (event) => pattern.replace(/\{(\w+)\}/g, (_, name: string) => short(namePart(parts[name]?.(event) ?? "")));
}

/** Long numbers are cut; the entry's id, which makes the name unique, is short. */
function short(text: string): string {
  let cut = text;
  while (Buffer.byteLength(cut) > maxPartBytes) cut = [...cut].slice(0, -1).join("");
  return cut;
}
