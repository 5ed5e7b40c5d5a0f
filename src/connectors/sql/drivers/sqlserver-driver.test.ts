import { EventEmitter } from "node:events";
import mssql from "mssql";
import { describe, expect, test } from "vitest";
import { deliveryContext } from "../../../../test/support/connectors/delivery.ts";
import { openContext } from "../../../../test/support/connectors/open-context.ts";
import { erpOperations } from "../../../../test/support/connectors/sql-erp.ts";
import type { CallContext } from "../../../sdk/connector.ts";
import { openSql } from "../open-sql.ts";
import { openSqlserver } from "./sqlserver-driver.ts";

/** The server's simulated answer to a statement: rows with their columns, a number of changed rows, or an error. */
type Answer = (
  text: string,
  inputs: ReadonlyMap<string, unknown>,
) => {
  readonly columns?: readonly { readonly name: string; readonly type: unknown; readonly scale?: number }[];
  readonly rows?: readonly (readonly unknown[])[];
  readonly affected?: number;
  readonly error?: Error;
};

const context: CallContext = { language: "en", signal: new AbortController().signal };

/** The driver's interface, types and errors are real; only the answers of the network are simulated. */
function played(answer: Answer) {
  const logged: string[] = [];
  class ConnectionPool {
    readonly config: mssql.config;
    constructor(config: mssql.config) {
      this.config = config;
    }
    async connect() {
      logged.push(`connect ${this.config.user} encrypt=${this.config.options?.encrypt}`);
      return this;
    }
    async close() {
      logged.push("close");
    }
  }
  class Transaction extends EventEmitter {
    async begin() {
      logged.push("begin");
    }
    async commit() {
      logged.push("commit");
    }
    async rollback() {
      logged.push("rollback");
    }
  }
  class Request extends EventEmitter {
    readonly inputs = new Map<string, unknown>();
    input(name: string, _type: unknown, value: unknown) {
      this.inputs.set(name, value);
    }
    cancel() {
      logged.push("cancel");
    }
    async query(text: string) {
      logged.push(text);
      const { columns, rows = [], affected = rows.length, error } = answer(text, this.inputs);
      if (error !== undefined) return void this.emit("error", error);
      if (columns !== undefined) this.emit("recordset", columns);
      for (const row of rows) this.emit("row", row);
      this.emit("rowsaffected", affected);
      this.emit("done", {});
    }
  }
  const library = { ...mssql, ConnectionPool, Transaction, Request } as unknown as typeof mssql;
  const open = (given: Partial<Parameters<typeof openSql>[0]> = {}) =>
    openSql(
      { driver: "sqlserver", host: "db", database: "erp", username: "app", operations: erpOperations, ...given },
      {
        ...openContext(),
        openPool: (settings) => openSqlserver(settings, async () => ({ default: library })),
      },
    );
  return { open, logged };
}

const requestError = (number: number, message: string) =>
  Object.assign(new mssql.RequestError(message), { code: "EREQUEST", number });

describe("SQL Server, by its driver's interface only: no server takes part", () => {
  test("values are inputs of the request, a query is rolled back, and dates come as they were written", async () => {
    const due = new Date("2026-03-01T08:30:00.000Z");
    const { open, logged } = played((_text, inputs) => ({
      columns: [
        { name: "order_no", type: mssql.NVarChar },
        { name: "customer", type: mssql.NVarChar },
        { name: "due", type: mssql.DateTime2 },
        { name: "line_no", type: mssql.Int },
        { name: "item", type: mssql.NVarChar },
        { name: "qty", type: mssql.Decimal, scale: 3 },
      ],
      rows: [[inputs.get("p1"), "Kranz", due, 1, "0012", 5]],
    }));
    const connector = await open({ readUsername: "reader", tls: true });
    const code = "A1'; DROP TABLE orders; --";
    expect(await connector.operations.findWorkOrderByCode?.({ Code: code, StorageName: null }, context)).toMatchObject({
      ok: true,
      data: { number: code, dueDate: "2026-03-01T08:30:00Z", requests: [{ itemNumber: "0012", requestedAmount: 5 }] },
    });
    expect(logged[0]).toBe("connect reader encrypt=true");
    expect(logged[2]).toContain("o.order_no = @p1");
    expect(logged[2]).not.toContain("DROP");
    expect(logged.at(-1)).toBe("rollback");
  });

  test("an event is one transaction, a duplicate of the entry's id a success, and a refusal has its name", async () => {
    let failure: Error | undefined;
    const { open, logged } = played((text) =>
      failure !== undefined && /delivered|containers/.test(text) ? { error: failure } : { affected: 1 },
    );
    const connector = await open({ refusals: [{ code: "51000", result: "ContainerAlreadyAttached" }] });
    const attach = () =>
      connector.operations.attachWorkOrder?.({ workOrderNumber: "A1", containerCode: "C" }, deliveryContext());
    expect(await attach()).toMatchObject({ ok: true });
    expect(logged.filter((text) => text === "begin")).toHaveLength(1);
    expect(logged.at(-1)).toBe("commit");
    failure = requestError(2627, "Violation of PRIMARY KEY constraint 'PK__crossdock'.");
    expect(await attach()).toMatchObject({ ok: true });
    expect(logged.at(-1)).toBe("rollback");
    failure = requestError(51000, "The container is in the wash");
    expect(await attach()).toMatchObject({
      result: "ContainerAlreadyAttached",
      message: "The container is in the wash",
    });
    failure = requestError(1205, "deadlock victim");
    await expect(attach()).rejects.toMatchObject({ kind: "unreachable", answer: { isBusy: true } });
    failure = Object.assign(new mssql.ConnectionError("Login failed for user"), { code: "ELOGIN" });
    await expect(attach()).rejects.toMatchObject({ kind: "unreachable" });
  });

  test("a decimal with more digits than the driver keeps is refused instead of being rounded", async () => {
    let weight: unknown = 12.5;
    const { open } = played(() => ({
      columns: [
        { name: "item_no", type: mssql.NVarChar },
        { name: "title", type: mssql.NVarChar },
        { name: "weight", type: mssql.Decimal, scale: 6 },
        { name: "ean", type: mssql.BigInt },
      ],
      rows: [["0012", "Bolt", weight, "9007199254740993"]],
    }));
    const connector = await open();
    const query = () => connector.operations.getItem?.({ number: "0012" }, context);
    expect(await query()).toMatchObject({ data: { weight: 12.5, externalIdentifier: "9007199254740993" } });
    weight = 12345678901.123457;
    await expect(query()).rejects.toThrow(/CAST/);
  });

  test("rows beyond the limit cancel the request", async () => {
    const { open, logged } = played(() => ({
      columns: [{ name: "picture", type: mssql.VarBinary }],
      rows: [[Buffer.from("a")], [Buffer.from("b")]],
    }));
    const connector = await open({ maxRows: 1 });
    await expect(connector.operations.getItemImage?.({ number: "1" }, context)).rejects.toThrow(/more than 1 rows/);
    expect(logged).toContain("cancel");
  });
});
