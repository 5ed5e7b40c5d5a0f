import { createServer } from "node:net";
import { afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { freePort } from "../../../test/peers/free-port.ts";
import { deliveryContext } from "../../../test/support/connectors/delivery.ts";
import { openContext } from "../../../test/support/connectors/open-context.ts";
import { onEveryDatabase } from "../../../test/support/connectors/sql-databases.ts";
import { clearErp, createErp, erpOperations } from "../../../test/support/connectors/sql-erp.ts";
import { testIf } from "../../../test/support/test-if.ts";
import type { CallContext, OpenConnector } from "../../sdk/connector.ts";
import { sql } from "./connector.ts";
import type { SqlOptions } from "./options.ts";

const context: CallContext = { language: "en", signal: new AbortController().signal };

await onEveryDatabase("a database in trouble", (database) => {
  const opened: OpenConnector[] = [];
  const isServer = database.driver !== "sqlite";
  const open = async (given: Partial<SqlOptions> = {}): Promise<OpenConnector> => {
    const options = { ...database.options(), operations: erpOperations, createDeliveredTable: true, ...given };
    const connector = await sql.open(options, openContext());
    opened.push(connector);
    return connector;
  };
  const getItem = async (given: Partial<SqlOptions>) =>
    (await open(given)).operations.getItem?.({ number: "1" }, context);
  const itemBy = (text: string): Partial<SqlOptions> => ({ operations: { getItem: { sql: text } } });

  beforeAll(() => createErp(database));
  beforeEach(() => clearErp(database));
  afterEach(async () => {
    for (const connector of opened.splice(0)) await connector.close();
  });

  test("opens although the database is down, and reports it only when it is used", async () => {
    const down = isServer ? { port: await freePort() } : { file: "/nowhere/erp.db" };
    await expect(getItem(down)).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.stringContaining("the database could not be reached"),
    });
    await expect((await open(down)).check()).rejects.toMatchObject({ kind: "unreachable" });
  });

  testIf(isServer)("that refuses the login is unreachable, and the password stands nowhere in the text", async () => {
    const password = "not-the-password-4711";
    const failed = await getItem({ password })?.catch((error: Error) => error);
    expect(failed).toMatchObject({ kind: "unreachable" });
    expect(JSON.stringify(failed) + String(failed)).not.toContain(password);
  });

  testIf(isServer)("that refuses a role names the role, and says what to look at", async () => {
    const refused = {
      message: expect.stringMatching(/refused the login of the role nobody_here: .*; check `username`/),
    };
    await expect(getItem({ username: "nobody_here", password: "x" })).rejects.toMatchObject(refused);
  });

  testIf(isServer)("whose role lacks a right names the role and the right", async () => {
    const isMysql = database.driver === "mysql";
    const role = "crossdock_poor";
    const own = isMysql ? `${role}@'%'` : role;
    await database.execute(
      isMysql ? `CREATE USER ${own} IDENTIFIED BY 'poor'` : `CREATE ROLE ${own} LOGIN PASSWORD 'poor'`,
    );
    onTestFinished(async () => {
      await database.execute(isMysql ? `DROP USER ${own}` : `DROP ROLE ${own}`);
    });
    // On MySQL, a login without any right cannot enter the database either.
    const lacks = isMysql
      ? /refused the login of the role crossdock_poor/
      : /the role crossdock_poor lacks a right for .*SELECT/;
    await expect(getItem({ username: role, password: "poor" })).rejects.toMatchObject({
      message: expect.stringMatching(lacks),
    });
  });

  testIf(isServer)("that has no such name is unreachable", async () => {
    await expect(getItem({ database: "nowhere" })).rejects.toMatchObject({ kind: "unreachable" });
  });

  testIf(isServer)("that takes the connection and says nothing is given up", async () => {
    const silent = createServer(() => {});
    const port = await new Promise<number>((resolve) => {
      silent.listen(0, "127.0.0.1", () => resolve(Number(Reflect.get(Object(silent.address()), "port"))));
    });
    onTestFinished(() => void silent.close());
    await expect(getItem({ port, connectTimeoutMs: 200 })).rejects.toMatchObject({ kind: "unreachable" });
  });

  test("that takes too long for a statement is abandoned, and answers the next one", async () => {
    const slow = {
      postgres: "SELECT pg_sleep(30) WHERE :number <> ''",
      mysql: "SELECT SLEEP(30) FROM DUAL WHERE :number <> ''",
      sqlite:
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000) SELECT count(*) FROM n WHERE :number <> ''",
    }[database.driver];
    const findPutWallOrders = { sql: "SELECT order_no AS number FROM orders WHERE order_no = :code" };
    const connector = await open({
      statementTimeoutMs: 1_000,
      operations: { getItem: { sql: slow }, findPutWallOrders },
    });
    await expect(connector.operations.getItem?.({ number: "1" }, context)).rejects.toMatchObject({
      kind: "unreachable",
    });
    // On a busy machine the next query may also take too long; the connection must survive that.
    const next = async () => await connector.operations.findPutWallOrders?.({ code: "x" }, context);
    await vi.waitFor(async () => expect(await next()).toMatchObject({ ok: true }), { timeout: 60_000 });
  });

  test("is aborted when the caller gives up", async () => {
    const connector = await open();
    const abort = new AbortController();
    const asked = connector.operations.getItem?.({ number: "1" }, { language: "en", signal: abort.signal });
    abort.abort();
    await expect(asked).rejects.toMatchObject({ kind: "unreachable" });
    expect(await connector.operations.getItem?.({ number: "1" }, context)).toMatchObject({
      result: "ItemDoesNotExist",
    });
  });

  test("that does not take a statement says why in its own words, and check finds it without running it", async () => {
    const wrong = itemBy("SELECT nothing_of_that_name FROM items WHERE item_no = :number");
    await expect(getItem(wrong)).rejects.toMatchObject({
      kind: "broken",
      message: expect.stringContaining("nothing_of_that_name"),
    });
    await expect((await open(wrong)).check()).rejects.toThrow(/the statement of getItem.*nothing_of_that_name/);
    const eventBody = { cancelPutWallItem: { statements: [{ sql: "INSERT INTO no_table (a) VALUES (:entryId)" }] } };
    await expect((await open({ operations: eventBody })).check()).rejects.toThrow(
      /statement 1 of cancelPutWallItem.*no_table/,
    );
  });

  test("that is well passes the check, and nothing was changed by it", async () => {
    await database.execute("DROP TABLE IF EXISTS crossdock_delivered");
    await (await open()).check();
    expect(await database.execute("SELECT entry_id FROM events")).toEqual([]);
    await expect(database.execute("SELECT entry_id FROM crossdock_delivered")).rejects.toThrow();
  });

  testIf(isServer)("in which two events lock each other out lets both through", async () => {
    await database.execute("INSERT INTO orders (order_no, state) VALUES ('A1', 'open'), ('A2', 'open')");
    const update = (name: string) => ({ sql: `UPDATE orders SET customer = :entryId WHERE order_no = ${name}` });
    const wait = { sql: database.driver === "postgres" ? "SELECT pg_sleep(0.2)" : "SELECT SLEEP(0.2)" };
    const connector = await open({
      operations: {
        cancelPutWallItem: { statements: [update(":workOrderNumber"), wait, update(":itemNumber")] },
      },
    });
    const event = (workOrderNumber: string, itemNumber: string, entryId: string) =>
      connector.operations.cancelPutWallItem?.({ workOrderNumber, itemNumber }, deliveryContext({ entryId }));
    const outcomes = await Promise.all([event("A1", "A2", "evt_1"), event("A2", "A1", "evt_2")]);
    expect(outcomes).toMatchObject([{ ok: true }, { ok: true }]);
  });

  testIf(isServer)("asks by its own login, which may only read", async () => {
    const user = `reader_${database.options().database}`.slice(0, 30);
    const name = database.driver === "mysql" ? `'${user}'@'%'` : user;
    const identified = database.driver === "mysql" ? "IDENTIFIED BY" : "PASSWORD";
    await database.execute(`CREATE USER ${name} ${identified} 'reader-password'`);
    await database.execute(`GRANT SELECT ON items TO ${name}`);
    onTestFinished(async () => {
      if (database.driver === "postgres") await database.execute(`DROP OWNED BY ${name}`);
      await database.execute(`DROP USER ${name}`);
    });
    const connector = await open({
      readUsername: user,
      readPassword: "reader-password",
      operations: {
        getItem: { sql: "SELECT item_no AS number FROM items WHERE item_no = :number" },
        findPutWallOrders: { sql: "SELECT order_no AS number FROM orders WHERE order_no = :code" },
        cancelPutWallItem: { statements: [{ sql: "INSERT INTO events (entry_id, line) VALUES (:entryId, 0)" }] },
      },
    });
    expect(await connector.operations.getItem?.({ number: "1" }, context)).toMatchObject({
      result: "ItemDoesNotExist",
    });
    await expect(connector.operations.findPutWallOrders?.({ code: "1" }, context)).rejects.toMatchObject({
      kind: "broken",
    });
    const told = connector.operations.cancelPutWallItem?.(
      { workOrderNumber: "A1", itemNumber: "1" },
      deliveryContext({ entryId: "evt_read" }),
    );
    expect(await told).toMatchObject({ ok: true });
    await opened.splice(0)[0]?.close();
  });

  test("that refuses in its own code is shown to the operator in its own words", async () => {
    const raise = {
      postgres: [
        "CREATE OR REPLACE FUNCTION refuse_event() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'Order is locked by accounting'; END $$",
        "CREATE TRIGGER refuse BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION refuse_event()",
      ],
      mysql: [
        "CREATE TRIGGER refuse BEFORE INSERT ON events FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'Order is locked by accounting'",
      ],
      sqlite: [
        "CREATE TRIGGER refuse BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'Order is locked by accounting'); END",
      ],
    }[database.driver];
    for (const text of raise) await database.execute(text);
    onTestFinished(async () => {
      await database.execute(`DROP TRIGGER refuse${database.driver === "postgres" ? " ON events" : ""}`);
    });
    const event = (connector: OpenConnector) =>
      connector.operations.confirmPutWallPlacement?.(
        { workOrderNumber: "A1", itemNumber: "1", completedAmount: 1 },
        deliveryContext({ entryId: "evt_raise" }),
      );
    await expect(event(await open())).rejects.toMatchObject({
      kind: "rejected",
      operatorText: expect.stringContaining("locked by accounting"),
    });
    const code = { postgres: "P0001", mysql: "1644", sqlite: "1811" }[database.driver];
    const refusals = [{ code, result: "InvalidInput" }];
    expect(await event(await open({ refusals }))).toMatchObject({
      result: "InvalidInput",
      message: expect.stringContaining("locked by accounting"),
    });
  });
});
