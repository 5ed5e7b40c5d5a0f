import type { Texts } from "../languages.ts";
import { codeTexts } from "./code-texts.ts";
import { eventPhraseTexts } from "./event-texts.ts";
import { faultTexts } from "./fault-texts.ts";
import { fixTexts } from "./fix-texts.ts";
import { noteTexts } from "./note-texts.ts";
import { refusalTexts } from "./refusal-texts.ts";
import { timelineTexts } from "./timeline-texts.ts";

/**
 * All phrases, with one file per subject. They use only names and plurals of the ICU syntax, because the console fills
 * them in too.
 */
export const phraseTexts = {
  ...codeTexts,
  ...eventPhraseTexts,
  ...faultTexts,
  ...fixTexts,
  ...noteTexts,
  ...refusalTexts,
  ...timelineTexts,
} as const satisfies Record<string, Texts>;
export type PhraseKey = keyof typeof phraseTexts;
