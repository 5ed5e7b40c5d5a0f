export type SqlValue = null | number | bigint | string | Uint8Array;
export type SqlRow = Record<string, SqlValue>;

/** What a column holds: its type as the table declares it, and the JavaScript value that comes out of it. */
export interface Kind<Value extends SqlValue | undefined = SqlValue | undefined> {
  readonly type: "INTEGER" | "TEXT" | "REAL" | "BLOB";
  readonly isNullable: boolean;
  /** Tables that an earlier version made may lack the column. */
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
/** One of a few texts, as a constraint of the table or the statement itself makes sure. */
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

/** The rows of a table, or of one statement: the columns with their kinds. The type of the rows follows from it. */
export interface RowCodec<Shape extends Columns = Columns> {
  readonly columns: Shape;
  /** Throws if a row does not match the columns. */
  readonly check: (row: SqlRow, sql: string) => void;
}

/** What a codec's rows look like: `type EntryRow = Row<typeof entryRow>`. */
export type Row<Codec extends { readonly columns: Columns }> = RowOf<Codec["columns"]>;

/** Made once per table or statement, outside the functions that run it: statements are checked once per codec. */
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
  // The entries are those of the given names, which Object.fromEntries forgets.
  return row(Object.fromEntries(names.map((name) => [name, columns[name]])) as unknown as Pick<Shape, Name>);
}

export interface ResultColumn {
  readonly name: string;
  /** As the table declares it; null if the column is computed. */
  readonly type: string | null;
}

/** Throws if a statement returns other columns than its codec has. Values are not checked: there are none yet. */
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
