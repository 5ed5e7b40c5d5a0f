import type { TellId } from "../contract/operations.ts";
import { type TellFacts, tellFacts } from "../engine/tell-facts.ts";
import type { InputReader, InputReading } from "./read-input.ts";

/** A body of an event read elsewhere: its text, and what the engine needs to know of it. The value itself stays there. */
export type EventReading =
  | (Omit<Extract<InputReading, { text: string }>, "input"> & { readonly facts: TellFacts })
  | Extract<InputReading, { problems: unknown }>;

/** Reads large bodies of events in another thread: to take them apart in this one would hold up everybody else. */
export interface EventReader {
  readonly read: (id: TellId, body: Uint8Array) => Promise<EventReading>;
  readonly close: () => Promise<void>;
}

/** Above this an event is read in the other thread. The usual ones have two thousand bytes. */
export const largeEventBytes = 64 * 1024;

export function readEvent(reader: InputReader, id: TellId, bytes: Uint8Array): EventReading {
  const reading = reader.fromBody(id, bytes);
  if ("problems" in reading) return reading;
  const { input, ...rest } = reading;
  return { ...rest, facts: tellFacts(id, input) };
}
