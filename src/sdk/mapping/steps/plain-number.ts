const decimal = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?\s*$/;

/** A number, or a text that can only mean one; undefined for everything else. `1,5` and `1.000,00` need a format. */
export function plainNumber(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value === "string") return decimal.test(value) ? Number(value) : undefined;
  return typeof value === "bigint" ? Number(value) : undefined;
}
