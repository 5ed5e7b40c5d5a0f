import { type AskId, operationRow, type TellId } from "../contract/operations.ts";
import { type TellFacts, tellFacts } from "../engine/tell-facts.ts";
import type { InputReader, InputReading } from "./read-input.ts";

/** A body of an event read elsewhere: its text, and what the engine needs to know of it. The value itself stays there. */
export type EventReading =
  | (Omit<Extract<InputReading, { text: string }>, "input"> & { readonly facts: TellFacts })
  | Extract<InputReading, { problems: unknown }>;

/** Reads large bodies of events in another thread: to take them apart in this one would hold up everybody else. */
export interface EventReader {
  readonly read: (id: TellId, body: Uint8Array) => Promise<EventReading>;
  /** All that is wrong with a body of which that much is known: a few kilobytes may have thousands of errors. */
  readonly problems: (id: AskId, body: Uint8Array) => Promise<Extract<InputReading, { problems: unknown }>>;
  readonly close: () => Promise<void>;
}

/** Above this an event is read in the other thread. The usual ones have two thousand bytes. */
const largeBytes = 64 * 1024;
/** Above this all that is wrong is found out in the other thread. */
const manyProblemsBytes = 2 * 1024;

export function readEvent(reader: InputReader, id: TellId | AskId, bytes: Uint8Array): EventReading {
  const reading = reader.fromBody(id, bytes);
  if ("problems" in reading) return reading;
  const { input, ...rest } = reading;
  return { ...rest, facts: isTell(id) ? tellFacts(id, input) : noFacts };
}

const isTell = (id: TellId | AskId): id is TellId => operationRow(id).kind === "tell";
const noFacts: TellFacts = { lanes: [], rule: { when: "always" } };

interface Readers {
  readonly reader: InputReader;
  readonly events: EventReader | null;
}

/** The body of an event, read here where that is quick. */
export function readTell(
  { reader, events }: Readers,
  id: TellId,
  body: Uint8Array | undefined,
): InputReading | Promise<EventReading> {
  if (events === null || body === undefined || body.length <= manyProblemsBytes) return reader.fromBody(id, body);
  const reading = body.length > largeBytes ? null : reader.fromBodySoon(id, body);
  return reading ?? events.read(id, body);
}

/** The body of a question, which is not large; all that is wrong with it is found out elsewhere where that may take long. */
export function readAsk(
  { reader, events }: Readers,
  id: AskId,
  body: Uint8Array | undefined,
): InputReading | Promise<InputReading> {
  if (events === null || body === undefined || body.length <= manyProblemsBytes) return reader.fromBody(id, body);
  return reader.fromBodySoon(id, body) ?? events.problems(id, body);
}
