type Scalar = string | number | boolean | null;
/** The types of values that are passed to a statement. */
export type BoundValue = Scalar | readonly Scalar[];

const isScalar = (value: unknown): value is Scalar => value === null || typeof value !== "object";

/**
 * Objects and lists are passed as JSON text. Only PostgreSQL accepts a list of plain values, for `= ANY(:numbers)`.
 */
export function boundValue(value: unknown, takesLists: boolean): BoundValue {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : null;
    case "bigint":
      return value.toString();
    case "object":
      if (value === null) return null;
      if (takesLists && Array.isArray(value) && value.every(isScalar)) return value;
      return JSON.stringify(value);
    default:
      return null;
  }
}
