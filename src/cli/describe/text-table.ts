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
