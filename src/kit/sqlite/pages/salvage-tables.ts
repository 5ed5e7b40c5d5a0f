import { closeSync, fsyncSync, openSync } from "node:fs";
import { type Database, openDatabase } from "../sqlite.ts";
import { openPageFile, type PageFile } from "./page-file.ts";
import { indexLength, isOfShape, rowInserter, shapeOf, type TableShape } from "./table-shape.ts";
import { compareKeys, type RowKey, rowsOfPage, type TreeHole, type TreeRow, walkTree } from "./walk-tree.ts";

/** Where rows of a table are missing, as far as they were not found elsewhere. */
export interface SalvagedTable {
  readonly name: string;
  readonly holes: readonly TreeHole[];
  /** Rows that were found in pages to which no way leads any more. */
  readonly found: number;
}

export interface Salvaged {
  /** Only tables that miss something. */
  readonly holed: readonly SalvagedTable[];
  /** Pages with rows that may belong to several tables, or to none. They are left out. */
  readonly leftOutPages: number;
}

export type SalvageResult = Salvaged | { readonly refused: string };

interface Tree {
  readonly shape: TableShape | null;
  /** For an index: how many values its entries have. */
  readonly length: number;
  readonly holes: TreeHole[];
  readonly insert: (row: TreeRow) => boolean;
  found: number;
}

const rowsPerCommit = 10_000;

/**
 * Copies every row that can be read into a new database, without the pages that are known to be damaged: table by table
 * along their trees, and then the pages whose way was lost. Indexes are built anew. One page and one row at a time are in
 * memory.
 */
export function salvageTables(file: string, badPages: ReadonlySet<number>, target: string): SalvageResult {
  const source = openPageFile(file, badPages);
  if (source === null) return { refused: "its first page, which says where the tables are, is damaged" };
  const database = openDatabase(target, { isPrivate: true });
  // Has the indexes from the beginning, which say how long their entries are.
  const model = openDatabase(":memory:");
  try {
    database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;");
    const schema = readSchema(source);
    if (schema === null) return { refused: "the list of its tables is damaged" };
    for (const { sql } of schema.filter(isTable)) if (sql !== null) database.exec(sql);
    const others = schema.filter(({ type }) => type !== "table");
    for (const { sql } of [...schema.filter(isTable), ...others]) model.exec(sql ?? "");
    const counted = { rows: 0 };
    database.exec("BEGIN IMMEDIATE");
    const isFreeKnown = source.claimFree();
    const trees = schema.flatMap((one) =>
      one.root > 0 ? [copyTree(source, { database, model, entry: one, counted })] : [],
    );
    const leftOutPages = trees.some(({ holes }) => holes.length > 0)
      ? findLostPages(source, badPages, { trees, isFreeKnown })
      : 0;
    database.exec("COMMIT");
    for (const { sql } of others) if (sql !== null) database.exec(sql);
    database.exec(`PRAGMA user_version = ${source.userVersion}; PRAGMA application_id = ${source.applicationId};`);
    const holed = trees.flatMap(({ shape, holes, found }) =>
      shape === null || holes.length === 0 ? [] : [{ name: shape.name, holes, found }],
    );
    return { holed, leftOutPages };
  } finally {
    database.close();
    model.close();
    source.close();
    const handle = openSync(target, "r+");
    fsyncSync(handle);
    closeSync(handle);
  }
}

interface SchemaEntry {
  readonly type: string;
  readonly name: string;
  readonly root: number;
  readonly sql: string | null;
}

/** SQLite creates its own tables itself, and refuses to have them created. */
const isTable = ({ type, name }: SchemaEntry): boolean => type === "table" && !name.startsWith("sqlite_");

/** Null if a part of it cannot be read: then nobody knows which tables are missing. */
function readSchema(source: PageFile): SchemaEntry[] | null {
  const entries: SchemaEntry[] = [];
  for (const part of walkTree(source, 1)) {
    if ("hole" in part) return null;
    const [type, name, , root, sql] = part.row.values;
    if (typeof type !== "string" || typeof name !== "string") return null;
    entries.push({ type, name, root: Number(root ?? 0), sql: typeof sql === "string" ? sql : null });
  }
  return entries;
}

interface CopyNeeds {
  readonly database: Database;
  readonly model: Database;
  readonly entry: SchemaEntry;
  readonly counted: { rows: number };
}

function copyTree(source: PageFile, { database, model, entry, counted }: CopyNeeds): Tree {
  const shape = isTable(entry) ? shapeOf(database, entry.name) : null;
  const insert = shape === null ? () => {} : rowInserter(database, shape);
  const holes: TreeHole[] = [];
  const tree: Tree = {
    shape,
    length: indexLength(model, entry.name),
    holes,
    found: 0,
    insert: (row) => {
      if (shape === null) return true;
      if (!isOfShape(shape, row)) return false;
      try {
        insert(row);
      } catch {
        // A second row with the same key, or values that the table does not allow.
        return false;
      }
      counted.rows++;
      if (counted.rows % rowsPerCommit === 0) database.exec("COMMIT; BEGIN IMMEDIATE;");
      return true;
    },
  };
  for (const part of walkTree(source, entry.root)) {
    if ("hole" in part) holes.push(part.hole);
    else if (!tree.insert(part.row)) holes.push(holeOf(part.row));
  }
  return tree;
}

const holeOf = ({ rowId, values }: TreeRow): TreeHole =>
  rowId === null ? { after: values, upTo: values } : { after: rowId - 1, upTo: rowId };

/**
 * Finds the pages to which only a damaged page led. Each is used if its rows fit one hole only, by their columns and by
 * their keys. Returns how many with rows were left out.
 */
function findLostPages(
  source: PageFile,
  badPages: ReadonlySet<number>,
  { trees, isFreeKnown }: { trees: readonly Tree[]; isFreeKnown: boolean },
): number {
  let leftOut = 0;
  for (let page = 2; page <= source.pages; page++) {
    if (source.isClaimed(page) || badPages.has(page)) continue;
    const found = rowsOfPage(source, page);
    if (found === null) continue;
    const fitting = trees.filter((tree) => isOfTree(tree, found.rows));
    const [only] = fitting;
    // A page that is in use no more may have older rows, and nobody knows which pages these are.
    if (fitting.length !== 1 || only === undefined || !isFreeKnown) leftOut++;
    else if (only.shape !== null) only.found += found.rows.filter(only.insert).length;
  }
  return leftOut;
}

function isOfTree({ shape, length, holes }: Tree, rows: readonly TreeRow[]): boolean {
  const isFitting = (row: TreeRow) =>
    shape === null ? row.rowId === null && row.values.length === length : isOfShape(shape, row);
  return rows.every(isFitting) && holes.some((hole) => rows.every((row) => isInHole(row.rowId ?? row.values, hole)));
}

const isInHole = (key: RowKey, { after, upTo }: TreeHole): boolean =>
  (after === null || compareKeys(key, after) > 0) && (upTo === null || compareKeys(key, upTo) <= 0);
