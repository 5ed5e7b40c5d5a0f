import { expect, onTestFinished, test } from "vitest";
import { peerGroup } from "../../../../test/peers/peer.ts";
import { RowCollector } from "./database.ts";
import { openMysql } from "./mysql-driver.ts";

await peerGroup("mariadb", "in MariaDB", ({ host, port, user, password, database }) => {
  const opened = async () => {
    const login = { user: String(user), password: String(password) };
    const pool = await openMysql({
      ...{ host: String(host), port: Number(port), database: String(database), login, readLogin: login },
      ...{ tls: false, file: "", poolSize: 1, connectTimeoutMs: 5000, statementTimeoutMs: 5000 },
    });
    onTestFinished(() => pool.close());
    const connection = await pool.acquire("read");
    onTestFinished(() => connection.release(true));
    return connection;
  };
  const limit = { maxRows: 100, onMore: "fault" } as const;

  test("a row that cannot be read fails its statement, not the process", async () => {
    let taken = 0;
    const rows = new RowCollector(limit, () => {
      if (++taken === 2) throw new Error("this row is odd");
    });
    const sql = "SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3";
    await expect((await opened()).run(sql, [], rows)).rejects.toThrow("this row is odd");
    expect(taken).toBe(2);
  });

  test("duplicate column names fail their statement, not the process", async () => {
    const rows = new RowCollector(limit, () => {});
    await expect((await opened()).run("SELECT 1 AS n, 2 AS n", [], rows)).rejects.toThrow(/two columns named n/);
  });
});
