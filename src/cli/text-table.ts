const maxCellLength = 40;

/** Columns side by side, as wide as their widest cell. The last one is not cut: it says most. */
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

/** Files hold what they like; control characters in them must not steer the reader's terminal. */
export const oneLine = (text: string) => text.replace(/\s+/g, " ").replace(/\p{Cc}/gu, "�");
const cut = (text: string) => (text.length > maxCellLength ? `${text.slice(0, maxCellLength - 1)}…` : text);
