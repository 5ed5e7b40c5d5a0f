import type { Terminal } from "../command.ts";

const maxCellLength = 40;

/** A table whose columns are as wide as their widest cell. The last column is not cut: it usually says most. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const columnCount = Math.max(0, ...rows.map((row) => row.length));
  const shown = rows.map((row) =>
    row.map((cell, index) => (index === columnCount - 1 ? oneLine(cell) : cut(oneLine(cell)))),
  );
  const widths = Array.from({ length: columnCount }, (_, index) =>
    Math.max(...shown.map((row) => row[index]?.length ?? 0)),
  );
  return shown
    .map((row) => `  ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ")}`.trimEnd())
    .join("\n");
}

/** Replaces control characters: text from files must not control the reader's terminal. */
export const oneLine = (text: string) => text.replace(/\s+/g, " ").replace(/\p{Cc}/gu, "�");
const cut = (text: string) => (text.length > maxCellLength ? `${text.slice(0, maxCellLength - 1)}…` : text);

/** Returns the text unchanged if it is not JSON, such as an error. */
export function indentedJson(text: string): string {
  try {
    JSON.parse(text);
    return indentJson(text, "  ");
  } catch {
    return text;
  }
}

/**
 * Changes only the whitespace of a JSON text: indented, or none at all. The text is not parsed and written again, so
 * that long numbers and escapes stay as they were sent.
 */
export function indentJson(json: string, indent: string): string {
  let out = "";
  let depth = 0;
  const lineBreak = () => (indent === "" ? "" : `\n${indent.repeat(depth)}`);
  for (let at = 0; at < json.length; at++) {
    const sign = json[at] ?? "";
    if (sign === '"') {
      const start = at;
      at = closingQuote(json, at);
      out += json.slice(start, at + 1);
    } else if (sign === "{" || sign === "[") {
      const next = firstSign(json, at + 1);
      const isEmpty = next === "}" || next === "]";
      depth++;
      out += isEmpty ? sign : sign + lineBreak();
    } else if (sign === "}" || sign === "]") {
      depth = Math.max(0, depth - 1);
      const isEmpty = out.endsWith("{") || out.endsWith("[");
      out += isEmpty ? sign : lineBreak() + sign;
    } else if (sign === ",") out += sign + lineBreak();
    else if (sign === ":") out += indent === "" ? sign : ": ";
    else if (!/\s/.test(sign)) out += sign;
  }
  return out;
}

function closingQuote(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === "\\") at++;
    else if (json[at] === '"') return at;
  }
  return json.length - 1;
}

function firstSign(json: string, from: number): string | undefined {
  let at = from;
  while (/\s/.test(json[at] ?? "")) at++;
  return json[at];
}

/** Writes a UTC time of an answer as a person at the site reads it. Programs get the time as it is. */
export type ShownTime = (utc: string) => string;

/** The `timeZone` of the configuration found here. If none can be read, the zone of this machine. */
export async function timeZoneHere({ env, cwd }: Terminal): Promise<string> {
  const { loadConfig } = await import("../../config/load-config.ts");
  try {
    return (await loadConfig({ env, cwd })).config.timeZone;
  } catch {
    return new Intl.DateTimeFormat().resolvedOptions().timeZone;
  }
}

export const shownTimeHere = async (terminal: Terminal): Promise<ShownTime> =>
  shownTimeIn(await timeZoneHere(terminal));

/** Writes the offset too: a copied line must be clear to somebody in another zone. */
export function shownTimeIn(timeZone: string): ShownTime {
  const style = { dateStyle: "short", timeStyle: "medium" } as const;
  const wall = new Intl.DateTimeFormat("sv-SE", { timeZone, ...style });
  const offset = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  return (utc) => {
    const at = Date.parse(utc);
    if (Number.isNaN(at)) return utc;
    const name = offset.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";
    return `${wall.format(at)} ${/^GMT(\+00:00)?$/.test(name) ? "UTC" : name.replace("GMT", "")}`;
  };
}
