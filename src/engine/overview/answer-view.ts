import { defaultLanguage } from "../../messages/languages.ts";
import { localise } from "../../messages/localise.ts";
import type { AnyOutcome } from "../../sdk/outcome.ts";

/** What the platform was answered, in words. */
export interface AnswerView {
  readonly isSuccess: boolean;
  /** The name of the refusal. */
  readonly result: string | null;
  readonly message: string | null;
  readonly data: unknown;
}

export function answerView(answer: string | null): AnswerView | null {
  if (answer === null) return null;
  // Written by the journal from an outcome; the text of an older version may have a key we no longer know.
  const outcome = JSON.parse(answer) as AnyOutcome;
  return {
    isSuccess: outcome.ok,
    result: outcome.ok ? null : outcome.result,
    message: outcome.message === undefined ? null : localise(outcome.message, defaultLanguage),
    data: outcome.ok ? (outcome.data ?? null) : null,
  };
}
