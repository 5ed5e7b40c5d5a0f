import type { MessageKey } from "./catalogue.ts";

/** A text not yet in any language: which one, and what fills it. Plain data, so it can cross threads. */
export interface Message {
  readonly key: MessageKey;
  readonly values: Readonly<Record<string, string | number>>;
}

/** What an operator gets to read: a text of ours, or the external system's own words. */
export type OperatorText = Message | string;

export const say = (key: MessageKey, values: Message["values"] = {}): Message => ({ key, values });
