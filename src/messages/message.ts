import type { MessageKey } from "./catalogue.ts";

/** A text before it is translated: its key, and the values to fill in. Plain data, so it can cross threads. */
export interface Message {
  readonly key: MessageKey;
  readonly values: Readonly<Record<string, string | number>>;
}

/** What an operator reads: one of our texts, or the external system's own text. */
export type OperatorText = Message | string;

/** Whether there is anything to read. A customer's connector may give an empty text, or none. */
export const isReadable = (text: OperatorText | null | undefined): text is OperatorText =>
  typeof text === "string" ? text.trim() !== "" : typeof text === "object" && text !== null;

export const say = (key: MessageKey, values: Message["values"] = {}): Message => ({ key, values });
