import { appendFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { missingForSmallDisk } from "../../../chaos/harness/disks/machine-rights.ts";
import { runTool, unmountWhenFree } from "../../../chaos/harness/disks/tools.ts";
import { deliveryContext } from "../../../test/support/connectors/delivery.ts";
import { openContext } from "../../../test/support/connectors/open-context.ts";
import { onEveryDatabase, type SqlDatabase } from "../../../test/support/connectors/sql-databases.ts";
import { clearErp, createErp, erpOperations } from "../../../test/support/connectors/sql-erp.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { describeIf, testIf } from "../../../test/support/test-if.ts";
import type { OpenConnector } from "../../sdk/connector.ts";
import { sql } from "./connector.ts";
import { mysqlErrors } from "./drivers/errors/mysql-errors.ts";
import { type ErrorTable, type SqlProblem, stateClasses, states } from "./drivers/errors/sql-problem.ts";
import type { SqlOptions } from "./options.ts";

const waits = { kind: "unreachable", answer: { text: expect.any(String) } };
const waitsAlone = { kind: "unreachable", answer: { isBusy: true } };
/** The fault for each kind of error of an event: a database failure never rejects the event. */
const faultByKind: Record<SqlProblem["kind"], object> = {
  unreachable: waits,
  timeout: waits,
  readOnly: waits,
  busy: waitsAlone,
  statement: { kind: "broken" },
  duplicate: { kind: "rejected" },
  constraint: { kind: "rejected" },
  data: { kind: "rejected" },
  unfit: { kind: "rejected" },
  raised: { kind: "rejected" },
  unknown: { kind: "rejected" },
};

/** States that PostgreSQL really raises and that are classified by their class. */
const membersOfClasses: ErrorTable = {
  unreachable: {
    "08006": "connection_failure",
    "28P01": "invalid_password",
    "53100": "disk_full",
    "53200": "out_of_memory",
    "53300": "too_many_connections",
    "57P01": "admin_shutdown",
    "57P02": "crash_shutdown",
    "57P03": "cannot_connect_now",
    "58030": "io_error",
  },
  busy: {
    "40001": "serialization_failure",
    "40P01": "deadlock_detected",
    "55006": "object_in_use",
    "55P03": "lock_not_available",
    XX001: "data_corrupted",
  },
  statement: { "42501": "insufficient_privilege", "42P01": "undefined_table" },
  data: { "22001": "string_data_right_truncation", "54000": "program_limit_exceeded" },
  constraint: { "23502": "not_null_violation", "23503": "foreign_key_violation", "23514": "check_violation" },
};

const codesOf = (table: ErrorTable, code = (key: string) => key): (readonly [string, SqlProblem["kind"]])[] =>
  // Object.entries forgets that the keys are those of the table's type.
  Object.entries(table).flatMap(([kind, codes]) =>
    Object.keys(codes).map((key) => [code(key), kind as SqlProblem["kind"]] as const),
  );

await onEveryDatabase("trouble of the database", (database) => {
  const opened: OpenConnector[] = [];
  const open = async (given: Partial<SqlOptions> = {}): Promise<OpenConnector> => {
    const options = { ...database.options(), operations: erpOperations, createDeliveredTable: true, ...given };
    const connector = await sql.open(options, openContext());
    opened.push(connector);
    return connector;
  };
  const close = async () => {
    for (const connector of opened.splice(0)) await connector.close();
  };
  const put = async (connector: OpenConnector, entryId = "evt_1", itemNumber = "0012") =>
    await connector.operations.confirmPutWallPlacement?.(
      { workOrderNumber: "A1", itemNumber, completedAmount: 1 },
      deliveryContext({ entryId, topic: "confirmPutWallPlacement" }),
    );
  const written = () => database.execute("SELECT entry_id FROM events");

  beforeAll(async () => {
    await createErp(database);
    await put(await open(), "evt_first");
    await close();
  });
  beforeEach(async () => {
    await clearErp(database);
    await database.execute("DELETE FROM crossdock_delivered");
  });
  afterEach(close);

  describeIf(database.driver !== "sqlite")("by the code it says so with", () => {
    const codes =
      database.driver === "postgres"
        ? [...codesOf(stateClasses, (two) => `${two}000`), ...codesOf(states), ...codesOf(membersOfClasses)]
        : codesOf(mysqlErrors);

    test("makes every event wait; a failure of a single event does not", async () => {
      await raiseWhatIsPut(database);
      const connector = await open();
      for (const [code, kind] of codes) {
        const failed = await put(connector, `evt_${code}`, code).catch((error: unknown) => error);
        expect(failed, code).toMatchObject(faultByKind[kind]);
        expect(failed, code).toMatchObject({ message: expect.stringContaining(`[${code}]`) });
      }
      expect(await written()).toEqual([]);
    });
  });

  describe.each(["table", "column"] as const)("with the entry's id in a %s", (idempotency) => {
    const { attachWorkOrder: _, ...operations } = erpOperations;
    const login = `limited_${database.options().database}_${idempotency}`.slice(0, 60);

    /** The event waits while the failure lasts, and is written once when it is over. */
    const waitsUntil = async (end: () => Promise<unknown>, given: Partial<SqlOptions>, expected: object) => {
      const connector = await open({ idempotency, operations, ...given });
      for (let tries = 0; tries < 2; tries++) await expect(put(connector)).rejects.toMatchObject(expected);
      await end();
      // A server may take a moment to notice that the trouble is over; the caller tries again.
      await vi.waitFor(async () => expect(await put(connector)).toMatchObject({ ok: true }), { timeout: 60_000 });
      expect(await put(connector)).toMatchObject({ ok: true });
      expect(await written()).toEqual([{ entry_id: "evt_1" }]);
    };

    testIf(database.driver === "postgres")("no connection is left for the login", async () => {
      await database.execute(`CREATE ROLE ${login} LOGIN SUPERUSER PASSWORD 'limited'`);
      onTestFinished(async () => {
        await close();
        await database.execute(`DROP ROLE ${login}`);
      });
      // The limit of a database or role does not apply to a superuser.
      await database.execute(`ALTER ROLE ${login} NOSUPERUSER CONNECTION LIMIT 0`);
      await database.execute(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${login}`);
      onTestFinished(async () => {
        await database.execute(`DROP OWNED BY ${login}`);
      });
      const end = () => database.execute(`ALTER ROLE ${login} CONNECTION LIMIT -1`);
      await waitsUntil(end, { username: login, password: "limited", createDeliveredTable: false }, waits);
    });

    testIf(database.driver === "mysql")("no connection is left for the login", async () => {
      const name = `'${login}'@'%'`;
      await database.execute(`CREATE USER ${name} IDENTIFIED BY 'limited' WITH MAX_USER_CONNECTIONS 1`);
      await database.execute(`GRANT ALL ON ${database.options().database}.* TO ${name}`);
      onTestFinished(async () => {
        await close();
        await database.execute(`DROP USER ${name}`);
      });
      const account = { username: login, password: "limited" };
      const holder = await open({
        ...account,
        operations: {
          getItem: { sql: "SELECT item_no AS number FROM items WHERE item_no = :number" },
        },
      });
      const context = { language: "en", signal: new AbortController().signal } as const;
      await holder.operations.getItem?.({ number: "1" }, context);
      await waitsUntil(() => holder.close(), account, waits);
      opened.splice(opened.indexOf(holder), 1);
    });

    testIf(database.driver === "postgres")("it only reads after a failover", async () => {
      const name = database.options().database;
      await database.execute(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      const end = () => database.execute(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
      onTestFinished(async () => {
        await end();
      });
      await waitsUntil(end, {}, waits);
    });

    testIf(database.driver === "postgres")("its disk is full", async ({ skip }) => {
      const missing = missingForSmallDisk();
      if (missing !== null) return skip(missing);
      const disk = temporaryFolder();
      const [{ pid } = {}] = await database.execute("SELECT pg_backend_pid() AS pid");
      // The server must own the folder of a tablespace.
      const { uid, gid } = statSync(`/proc/${String(pid)}`);
      runTool("mount", "-t", "tmpfs", "-o", `size=1m,mode=0700,uid=${uid},gid=${gid}`, "tmpfs", disk);
      onTestFinished(() => unmountWhenFree(disk));
      await database.execute(`CREATE TABLESPACE ${login} LOCATION '${disk}'`);
      onTestFinished(async () => {
        rmSync(join(disk, "filler"), { force: true });
        await database.execute("TRUNCATE events");
        await database.execute("ALTER TABLE events SET TABLESPACE pg_default");
        await database.execute(`DROP TABLESPACE ${login}`);
      });
      // An empty file has no page with room left.
      await database.execute("TRUNCATE events");
      await database.execute(`ALTER TABLE events SET TABLESPACE ${login}`);
      fill(join(disk, "filler"));
      const full = { ...waits, message: expect.stringContaining("[53100]") };
      await waitsUntil(async () => rmSync(join(disk, "filler")), {}, full);
    });

    testIf(database.driver === "mysql")("a table is full", async () => {
      // The other tests of this group use a table in a file; a table in memory is soon full.
      await database.execute("SET SESSION max_heap_table_size = 16384");
      await database.execute("ALTER TABLE events RENAME TO events_kept");
      await database.execute(
        "CREATE TABLE events (entry_id varchar(64), line int, kind varchar(400), order_no varchar(400), item varchar(400), amount decimal(12, 3), who varchar(400), UNIQUE (entry_id, line)) ENGINE = MEMORY",
      );
      onTestFinished(async () => {
        await database.execute("DROP TABLE events");
        await database.execute("ALTER TABLE events_kept RENAME TO events");
      });
      let rows = 0;
      while (rows < 10_000 && (await addRow(database, rows))) rows++;
      await waitsUntil(() => database.execute("DELETE FROM events"), {}, waits);
    });

    testIf(database.driver === "postgres")("a lock is not given in time", async () => {
      const name = database.options().database;
      await database.execute(`ALTER DATABASE ${name} SET lock_timeout = '50ms'`);
      onTestFinished(async () => {
        await database.execute(`ALTER DATABASE ${name} RESET lock_timeout`);
      });
      await database.execute("BEGIN");
      await database.execute("LOCK TABLE events IN EXCLUSIVE MODE");
      await waitsUntil(() => database.execute("COMMIT"), {}, waitsAlone);
    });

    testIf(database.driver === "mysql")("a lock is not given at once", async () => {
      await database.execute("INSERT INTO orders (order_no, state) VALUES ('A1', 'open')");
      await database.execute("START TRANSACTION");
      await database.execute("UPDATE orders SET state = 'edited' WHERE order_no = 'A1'");
      const [insert] = erpOperations.confirmPutWallPlacement?.statements ?? [];
      const lock = { sql: "SELECT order_no FROM orders WHERE order_no = :workOrderNumber FOR UPDATE NOWAIT" };
      const statements = [lock, ...(insert === undefined ? [] : [insert])];
      const given = { operations: { confirmPutWallPlacement: { statements } } };
      await waitsUntil(() => database.execute("COMMIT"), given, waitsAlone);
    });

    testIf(database.driver === "sqlite")("somebody else writes", async () => {
      await database.execute("BEGIN IMMEDIATE");
      await waitsUntil(() => database.execute("COMMIT"), { statementTimeoutMs: 500 }, { kind: "unreachable" });
    });
  });

  testIf(database.driver === "postgres")("that lies in two changes at the same time is tried again", async () => {
    const name = database.options().database;
    await database.execute(`ALTER DATABASE ${name} SET default_transaction_isolation = 'repeatable read'`);
    onTestFinished(async () => {
      await database.execute(`ALTER DATABASE ${name} RESET default_transaction_isolation`);
    });
    await database.execute("INSERT INTO orders (order_no, state) VALUES ('A1', 'open')");
    const statements = [
      { sql: "SELECT pg_sleep(0.1)" },
      { sql: "UPDATE orders SET customer = :entryId WHERE order_no = :workOrderNumber" },
      { sql: "INSERT INTO events (entry_id, line) VALUES (:entryId, 0)" },
    ];
    const connector = await open({ operations: { confirmPutWallPlacement: { statements } } });
    const outcomes = await Promise.all(["evt_1", "evt_2"].map((id) => put(connector, id)));
    expect(outcomes).toMatchObject([{ ok: true }, { ok: true }]);
  });

  test("a query that tries to write is a mistake of the statement, not an outage", async () => {
    const write = {
      postgres:
        "WITH gone AS (DELETE FROM items WHERE item_no = :number RETURNING item_no) SELECT item_no AS number FROM gone",
      mysql: "DELETE FROM items WHERE item_no = :number",
      sqlite: "DELETE FROM items WHERE item_no = :number RETURNING item_no AS number",
    }[database.driver];
    const connector = await open({ operations: { getItem: { sql: write } } });
    const context = { language: "en", signal: new AbortController().signal } as const;
    await expect(connector.operations.getItem?.({ number: "1" }, context)).rejects.toMatchObject({ kind: "broken" });
  });
});

/** Writes until the disk is full. */
function fill(file: string): void {
  try {
    for (;;) appendFileSync(file, Buffer.alloc(4096, 1));
  } catch (error) {
    expect(error).toMatchObject({ code: "ENOSPC" });
  }
}

async function addRow(database: SqlDatabase, row: number): Promise<boolean> {
  try {
    await database.execute(`INSERT INTO events (entry_id, line) VALUES ('filler_${row}', 0)`);
    return true;
  } catch {
    return false;
  }
}

/** From now on each row is refused with the error code that its item names. */
async function raiseWhatIsPut({ driver, execute }: SqlDatabase): Promise<void> {
  const texts =
    driver === "postgres"
      ? [
          "CREATE OR REPLACE FUNCTION raise_item() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'planted' USING ERRCODE = NEW.item; END $$",
          "CREATE TRIGGER planted BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION raise_item()",
        ]
      : [
          "CREATE TRIGGER planted BEFORE INSERT ON events FOR EACH ROW BEGIN DECLARE code int DEFAULT NEW.item; SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = code, MESSAGE_TEXT = 'planted'; END",
        ];
  for (const text of texts) await execute(text);
  onTestFinished(async () => {
    await execute(`DROP TRIGGER planted${driver === "postgres" ? " ON events" : ""}`);
  });
}
