export const driverNames = ["postgres", "mysql", "sqlserver", "sqlite"] as const;
export type DriverName = (typeof driverNames)[number];

/** How the SQL dialects differ, as far as it matters for finding parameters. */
export interface Dialect {
  readonly name: DriverName;
  /** The placeholder of the nth parameter (from 1). */
  readonly placeholder: (position: number) => string;
  /** Whether the same name used twice is one parameter: then the type of `:x IS NULL` is inferred from the other use. */
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
