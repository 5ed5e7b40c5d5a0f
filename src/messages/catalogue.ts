import type { Texts } from "./languages.ts";
import { alarmTexts } from "./texts/alarms.ts";
import { cellValueTexts } from "./texts/cell-values.ts";
import { eventTexts } from "./texts/events.ts";
import { fileCellTexts } from "./texts/file-cells.ts";
import { fileEncodingTexts, fileNoteTexts } from "./texts/file-notes.ts";
import { fileTexts } from "./texts/files.ts";
import { generalTexts, httpTexts, unreadableBodyTexts } from "./texts/general.ts";
import { inputTexts } from "./texts/input.ts";
import { fallbackTexts, orderTexts } from "./texts/orders.ts";

/** All operator texts. Each subject has its own file. */
export const catalogue = {
  ...alarmTexts,
  ...cellValueTexts,
  ...eventTexts,
  ...fileCellTexts,
  ...fileEncodingTexts,
  ...fileNoteTexts,
  ...fileTexts,
  ...generalTexts,
  ...httpTexts,
  ...inputTexts,
  ...unreadableBodyTexts,
  ...fallbackTexts,
  ...orderTexts,
} as const satisfies Record<string, Texts>;
export type MessageKey = keyof typeof catalogue;
