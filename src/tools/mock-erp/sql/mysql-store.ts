import { loadLibrary, type SqlStore } from "./sql-store.ts";

export async function openMysqlStore(address: string): Promise<SqlStore> {
  const mysql = await loadLibrary("mysql2", () => import("mysql2/promise"));
  const connection = await mysql.createConnection({ uri: address, dateStrings: true });
  connection.on("error", () => {});
  return {
    run: async (sql, values = []) => {
      const [result] = await connection.query(sql, [...values].map(bound));
      return "affectedRows" in result ? result.affectedRows : 0;
    },
    // The statements used here always return a list of rows.
    all: async (sql, values = []) =>
      (await connection.query(sql, [...values].map(bound)))[0] as Record<string, unknown>[],
    begin: async () => {
      await connection.beginTransaction();
      return true;
    },
    close: () => connection.end(),
    types: { counter: "bigint AUTO_INCREMENT PRIMARY KEY", bytes: "longblob", name: "varchar(200)" },
  };
}

const bound = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value) : value);
