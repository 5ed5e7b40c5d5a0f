import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nullable, row, text } from "../../src/kit/sqlite/row.ts";
import { openDatabase } from "../../src/kit/sqlite/sqlite.ts";
import { fillStore } from "./fill-store.ts";

/** Differs for every version of the tables, because a kept store with older tables would give wrong results. */
export async function schemaMark(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "crossdock-bench-"));
  try {
    await fillStore({ folder, orders: 0, lines: 0 });
    const database = openDatabase(join(folder, "crossdock.db"), { readOnly: true });
    const tables = database.query("SELECT sql FROM sqlite_master ORDER BY name", row({ sql: nullable(text) })).all();
    database.close();
    return createHash("sha256").update(JSON.stringify(tables)).digest("hex").slice(0, 8);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
