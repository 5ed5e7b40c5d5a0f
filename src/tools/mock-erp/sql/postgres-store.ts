import { loadLibrary, type SqlStore } from "./sql-store.ts";

export async function openPostgresStore(address: string): Promise<SqlStore> {
  const { default: pg } = await loadLibrary("pg", () => import("pg"));
  const client = new pg.Client({ connectionString: address, application_name: "crossdock mock-erp" });
  // Without a listener a broken connection would end the process; the next statement reports it anyway.
  client.on("error", () => {});
  await client.connect();
  const query = (sql: string, values: readonly unknown[]) => {
    let index = 0;
    return client.query(
      sql.replace(/\?/g, () => `$${++index}`),
      [...values],
    );
  };
  return {
    run: async (sql, values = []) => (await query(sql, values)).rowCount ?? 0,
    all: async (sql, values = []) => (await query(sql, values)).rows,
    begin: async () => {
      await client.query("BEGIN");
      return true;
    },
    close: () => client.end(),
    types: { counter: "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY", bytes: "bytea", name: "varchar(200)" },
  };
}
