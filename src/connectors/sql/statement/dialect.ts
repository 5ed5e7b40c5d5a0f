export const driverNames = ["postgres", "mysql", "sqlserver", "sqlite"] as const;
export type DriverName = (typeof driverNames)[number];

/** What differs between the languages of the databases as far as finding parameters goes. */
export interface Dialect {
  readonly name: DriverName;
  /** How the nth parameter (from 1) is written. */
  readonly placeholder: (position: number) => string;
  /** Whether one value written twice is one parameter: the type of `:x IS NULL` is then found at its other place. */
  readonly reusesPlaceholders: boolean;
  readonly nestsComments: boolean;
  readonly hashComments: boolean;
  readonly backslashEscapes: boolean;
  readonly dollarQuotes: boolean;
  readonly bracketNames: boolean;
  /** Whether one text may hold several statements. */
  readonly takesBatches: boolean;
  /** What the database itself reads as a parameter: written by hand it would get no value. */
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
    // A question mark is an operator there.
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
