import type { EntryView } from "./entry-view.ts";

const columns = {
  seq: (entry) => String(entry.seq),
  id: (entry) => entry.id,
  receivedAt: (entry) => entry.receivedAt,
  direction: (entry) => entry.direction,
  topic: (entry) => entry.topic,
  text: (entry) => entry.text,
  orders: (entry) => entry.orders.join(" "),
  containers: (entry) => entry.containers.join(" "),
  operator: (entry) => entry.operator ?? "",
  state: (entry) => entry.state,
  reason: (entry) => entry.reason ?? "",
  target: (entry) => entry.target ?? "",
  sender: (entry) => entry.sender ?? "",
  attempts: (entry) => String(entry.attempts),
  deliveredAt: (entry) => entry.deliveredAt ?? "",
  result: (entry) => (entry.answer === null ? "" : (entry.answer.result ?? "success")),
} as const satisfies Record<string, (entry: EntryView) => string>;

export const csvHeader = `${Object.keys(columns).join(",")}\r\n`;

export const csvLine = (entry: EntryView): string =>
  `${Object.values(columns)
    .map((cellOf) => cell(cellOf(entry)))
    .join(",")}\r\n`;

/**
 * A spreadsheet takes what begins with = + - @ for a formula and runs it, also behind blanks; an apostrophe before it
 * makes it text. Whoever names an order or a container must not get a program onto the reader's desk.
 */
function cell(text: string): string {
  const harmless = /^[\s\p{Cc}]*[=+\-@|%＝＋－＠]/u.test(text) || /^[\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",;\r\n']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
