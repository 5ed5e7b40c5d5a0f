import { writeInTurns } from "../../../kit/json/write-in-turns.ts";

export const driverNames = ["postgres", "mysql", "sqlserver", "sqlite"] as const;
export type DriverName = (typeof driverNames)[number];

/** How the SQL dialects differ, as far as it matters for finding parameters. */
export interface Dialect {
  readonly name: DriverName;
  /** The placeholder of the nth parameter (from 1). */
  readonly placeholder: (position: number) => string;
  /**
   * Whether the same name used twice is one parameter: then the type of `:x IS NULL` is inferred from the other use.
   */
  readonly reusesPlaceholders: boolean;
  readonly nestsComments: boolean;
  readonly hashComments: boolean;
  readonly backslashEscapes: boolean;
  readonly dollarQuotes: boolean;
  readonly bracketNames: boolean;
  /** Whether one text may contain several statements. */
  readonly takesBatches: boolean;
  /** The database's own placeholders, which would not be filled. */
  readonly ownPlaceholder: RegExp;
}

const plain = {
  reusesPlaceholders: false,
  nestsComments: false,
  hashComments: false,
  backslashEscapes: false,
  dollarQuotes: false,
  bracketNames: false,
  takesBatches: false,
};

export const dialects: Readonly<Record<DriverName, Dialect>> = {
  postgres: {
    ...plain,
    name: "postgres",
    placeholder: (position) => `$${position}`,
    reusesPlaceholders: true,
    nestsComments: true,
    dollarQuotes: true,
    // PostgreSQL has operators with a question mark.
    ownPlaceholder: /\$\d+/y,
  },
  mysql: {
    ...plain,
    name: "mysql",
    placeholder: () => "?",
    hashComments: true,
    backslashEscapes: true,
    ownPlaceholder: /\?/y,
  },
  sqlserver: {
    ...plain,
    name: "sqlserver",
    placeholder: (position) => `@p${position}`,
    reusesPlaceholders: true,
    nestsComments: true,
    bracketNames: true,
    takesBatches: true,
    ownPlaceholder: /@p\d+\b/iy,
  },
  sqlite: {
    ...plain,
    name: "sqlite",
    placeholder: () => "?",
    bracketNames: true,
    ownPlaceholder: /\?\d*|[@$][A-Za-z_]\w*/y,
  },
};

type Scalar = string | number | boolean | null;
/** The types of values that are passed to a statement. */
export type BoundValue = Scalar | readonly Scalar[];

const isScalar = (value: unknown): value is Scalar => value === null || typeof value !== "object";

/** Like boundValue, but other requests run while a long JSON text is written. */
export async function boundInTurns(value: unknown, takesLists: boolean): Promise<BoundValue> {
  if (typeof value !== "object" || value === null) return boundValue(value, takesLists);
  if (takesLists && Array.isArray(value) && value.every(isScalar)) return value;
  return (await writeInTurns(value)) ?? null;
}

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
