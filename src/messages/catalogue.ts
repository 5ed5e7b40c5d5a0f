import type { Texts } from "./languages.ts";
import { inputTexts } from "./texts/input.ts";

/** Every operator text, one file of texts per subject. */
export const catalogue = { ...inputTexts } as const satisfies Record<string, Texts>;
export type MessageKey = keyof typeof catalogue;
