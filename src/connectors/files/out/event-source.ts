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

/** The input of an event file's mapping. It is the same on every attempt. */
export interface EventSource {
  readonly entryId: string;
  readonly seq: number;
  readonly topic: string;
  readonly receivedAt: string;
  readonly orderNumber: string;
  readonly possibleRepeatOf?: string;
  /** The platform's body; for a list, one element of it. */
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

/** The shape of a topic's events, for checking a mapping; any shape if the topic is not in the contract. */
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
  // Enough digits for every journal, so that file names sort in the order of the events.
  seq: ({ seq }) => String(seq).padStart(10, "0"),
  topic: ({ topic }) => topic,
  orderNumber: ({ orderNumber }) => orderNumber || "none",
  date: ({ receivedAt }) => receivedAt.slice(0, 10).replaceAll("-", ""),
};
const maxPartBytes = 60;

/** The name of an event's file, made from the pattern. It is the same on every attempt of an entry. */
export function eventName(pattern: string): (event: EventSource) => string {
  if (!pattern.includes("{entryId}")) {
    throw new Fault("invalid", `name: ${pattern} needs {entryId}; without it one event would overwrite another`);
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

/** Long numbers are cut. The entry id, which makes the name unique, is short. */
function short(text: string): string {
  let cut = text;
  while (Buffer.byteLength(cut) > maxPartBytes) cut = [...cut].slice(0, -1).join("");
  return cut;
}
