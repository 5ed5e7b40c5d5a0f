/** A database that the ERP keeps its tables in; statements are written with question marks. */
export interface SqlStore {
  readonly run: (sql: string, values?: readonly SqlParameter[]) => Promise<number>;
  readonly all: (sql: string, values?: readonly SqlParameter[]) => Promise<readonly Record<string, unknown>[]>;
  /** Begins a transaction that will write; false where somebody else is writing just now. */
  readonly begin: () => Promise<boolean>;
  readonly close: () => Promise<void>;
  /** Column types, where databases differ. */
  readonly types: { readonly counter: string; readonly bytes: string; readonly name: string };
}
export type SqlParameter = string | number | Uint8Array | null;

/** A library that is not installed, or an address that names no database of ours. */
export class NoSqlStore extends Error {}

/** Optional libraries are loaded when they are needed, and not before. */
export async function loadLibrary<Library>(name: string, load: () => Promise<Library>): Promise<Library> {
  try {
    return await load();
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    throw isMissing ? new NoSqlStore(`this database needs the library ${name}: npm install ${name}`) : error;
  }
}
