export type SqlValue = null | number | bigint | string | Uint8Array;
export type SqlRow = Record<string, SqlValue>;

/** What a column contains: its type in the table, and the JavaScript value that is read from it. */
export interface Kind<Value extends SqlValue | undefined = SqlValue | undefined> {
  readonly type: "INTEGER" | "TEXT" | "REAL" | "BLOB";
  readonly isNullable: boolean;
  /** Whether tables made by an earlier version may lack the column. */
  readonly isOptional: boolean;
  readonly is: (value: SqlValue | undefined) => value is Value;
}

export const integer: Kind<number> = {
  ...{ type: "INTEGER", isNullable: false, isOptional: false },
  is: (value) => typeof value === "number",
};
export const real: Kind<number> = { ...integer, type: "REAL" };
export const text: Kind<string> = {
  ...{ type: "TEXT", isNullable: false, isOptional: false },
  is: (value) => typeof value === "string",
};
export const blob: Kind<Uint8Array> = {
  ...{ type: "BLOB", isNullable: false, isOptional: false },
  is: (value) => value instanceof Uint8Array,
};
/** A text that a statement hands over as bytes where it is long (see `textIn`). */
export const longText: Kind<string | Uint8Array> = {
  ...text,
  is: (value) => typeof value === "string" || value instanceof Uint8Array,
};
/** Longer texts are read as bytes. */
const longBytes = 64 * 1024;
/** The value of such a column: the driver decodes a long text with letters beyond ASCII several times slower than `textIn`. */
export const selectLong = (column: string): string =>
  `CASE WHEN octet_length(${column}) > ${longBytes} THEN CAST(${column} AS BLOB) ELSE ${column} END`;
export const textIn = (value: string | Uint8Array): string =>
  typeof value === "string" ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString();
/** One of a few texts. A constraint of the table, or the statement itself, makes sure of that. */
export const textOf = <const Text extends string>(...texts: readonly Text[]): Kind<Text> => ({
  ...text,
  is: (value): value is Text => texts.some((one) => one === value),
});
/** One of a few whole numbers: a flag is `integerOf(0, 1)`. */
export const integerOf = <const Whole extends number>(...numbers: readonly Whole[]): Kind<Whole> => ({
  ...integer,
  is: (value): value is Whole => numbers.some((one) => one === value),
});
export const nullable = <Value extends SqlValue>(kind: Kind<Value>): Kind<Value | null> => ({
  ...kind,
  isNullable: true,
  is: (value): value is Value | null => value === null || kind.is(value),
});
/** A column that was added in a later version; undefined if the file has not been migrated to that version. */
export const optional = <Value extends SqlValue>(kind: Kind<Value>): Kind<Value | undefined> => ({
  ...kind,
  isOptional: true,
  is: (value): value is Value | undefined => value === undefined || kind.is(value),
});

export type Columns = Readonly<Record<string, Kind>>;
export type RowOf<Shape extends Columns> = {
  readonly [Name in keyof Shape]: Shape[Name] extends Kind<infer Value> ? Value : never;
};

/** The rows of a table or of one statement: the columns with their kinds, from which the type of the rows follows. */
export interface RowCodec<Shape extends Columns = Columns> {
  readonly columns: Shape;
  /** Throws if a row does not match the columns. */
  readonly check: (row: SqlRow, sql: string) => void;
}

/** What a codec's rows look like: `type EntryRow = Row<typeof entryRow>`. */
export type Row<Codec extends { readonly columns: Columns }> = RowOf<Codec["columns"]>;

/**
 * Create it once per table or statement, outside the functions that run it, because statements are checked once per
 * codec.
 */
export function row<const Shape extends Columns>(columns: Shape): RowCodec<Shape> {
  return {
    columns,
    check: (found, sql) => {
      for (const [name, kind] of Object.entries(columns)) {
        if (!kind.is(found[name])) throw new Error(`column ${name} holds ${shown(found[name])}: ${sql}`);
      }
    },
  };
}

/** Some columns of a table, for a statement that reads only those. */
export function pick<Shape extends Columns, Name extends keyof Shape & string>(
  { columns }: RowCodec<Shape>,
  ...names: readonly Name[]
): RowCodec<Pick<Shape, Name>> {
  // The entries are those of the given names; Object.fromEntries loses their types.
  return row(Object.fromEntries(names.map((name) => [name, columns[name]])) as unknown as Pick<Shape, Name>);
}

export interface ResultColumn {
  readonly name: string;
  /** The type that the table declares; null if the column is computed. */
  readonly type: string | null;
}

/**
 * Throws if a statement returns other columns than its codec has. Values are not checked, because there are none yet.
 */
export function checkColumns({ columns }: RowCodec, found: readonly ResultColumn[], sql: string): void {
  for (const { name, type } of found) {
    const kind = columns[name];
    if (kind === undefined) throw new Error(`column ${name} is not in the codec: ${sql}`);
    if (type !== null && type !== kind.type) throw new Error(`column ${name} is ${type}, not ${kind.type}: ${sql}`);
  }
  const names = new Set(found.map(({ name }) => name));
  for (const [name, { isOptional }] of Object.entries(columns)) {
    if (!isOptional && !names.has(name)) throw new Error(`column ${name} is missing: ${sql}`);
  }
}

const shown = (value: SqlValue | undefined): string =>
  value === null || value === undefined ? String(value) : `a ${value instanceof Uint8Array ? "blob" : typeof value}`;
