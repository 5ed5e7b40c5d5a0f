/** A statement of the configuration that cannot be right; the text says where. */
export class StatementError extends Error {
  constructor(reason: string, sql: string, at: number) {
    const before = sql.slice(0, at).split("\n");
    const column = (before.at(-1) ?? "").length + 1;
    super(before.length === 1 ? `${reason} (column ${column})` : `${reason} (line ${before.length}, column ${column})`);
    this.name = "StatementError";
  }
}
