/** A value as the text of a cell; undefined leaves the cell out. */
export function cellText(value: unknown): string | undefined {
  // A text may be cut by an expression within a character, and half of one no strict client can read.
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value === "boolean") return String(value);
  // A JSONata expression may return a function; it has no text.
  return typeof value === "object" && value !== null ? JSON.stringify(value) : undefined;
}
