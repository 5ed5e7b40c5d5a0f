type Members = Readonly<Record<string, unknown>>;

export interface CsvShape {
  readonly columns: readonly string[];
  readonly delimiter: string;
  readonly header: boolean;
}

/** Rows as CSV (RFC 4180). The values are exact: what a spreadsheet would take for a formula is data here. */
export function writeCsv(rows: readonly Members[], { columns, delimiter, header }: CsvShape): string {
  const line = (cells: readonly string[]) => `${cells.map((cell) => quoted(cell, delimiter)).join(delimiter)}\r\n`;
  const body = rows.map((row) =>
    line(columns.map((column) => cellText(Object.hasOwn(row, column) ? row[column] : null))),
  );
  return (header ? line(columns) : "") + body.join("");
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function quoted(text: string, delimiter: string): string {
  const mustQuote = text.includes(delimiter) || /["\r\n]/.test(text) || text.trim() !== text;
  return mustQuote ? `"${text.replaceAll('"', '""')}"` : text;
}
