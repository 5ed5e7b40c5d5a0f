import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { type PeerAddress, peerGroup } from "../../../test/peers/peer.ts";
import { startAdapter } from "../../../test/support/adapter/adapter.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { WorkOrderStatus } from "../../contract/enums.ts";
import { operations } from "../../contract/operations.ts";
import { sqlConfig, sqlConnection } from "./adapter-config.ts";
import { openSqlFace } from "./faces/sql-face.ts";
import { openSqlStore } from "./sql-store.ts";
import { openErpState } from "./state/erp-state.ts";

const today = Date.UTC(2030, 0, 7, 8);

function promises(newAddress: () => Promise<string>): void {
  const opened = async (address: string) => {
    const store = await openSqlStore(address);
    onTestFinished(() => store.close());
    const erp = openErpState({ seed: 1, orders: 5, items: 8, given: null, today: new Date(today), now: () => today });
    return { store, erp, open: () => openSqlFace({ store, erp, now: () => today }) };
  };

  test("the tables hold what the ERP knows, take events, and show what became of them", async () => {
    const { store, erp, open } = await opened(await newAddress());
    const { tick } = await open();
    const [order] = erp.orders.values();
    const [line] = order?.lines ?? [];
    const count = async (table: string) => Number((await store.all(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.["n"]);
    expect([await count("orders"), await count("items")]).toEqual([5, 8]);
    const stockOf = async () =>
      Number((await store.all("SELECT stock FROM items WHERE number = ?", [line?.item ?? ""]))[0]?.["stock"]);
    const before = await stockOf();
    const insert = "INSERT INTO events (entry_id, what, order_number, line, qty) VALUES (?, ?, ?, ?, ?)";
    await store.run(insert, ["evt_1", "pick", order?.number ?? "", "10", 1]);
    await store.run(insert, ["evt_2", "pick", "no such order", "10", 1]);
    await tick();
    await tick();
    expect(await stockOf()).toBe(before - 1);
    expect(await store.all("SELECT refusal FROM events ORDER BY id")).toEqual([
      { refusal: null },
      { refusal: "There is no order no such order. Ask the office." },
    ]);
    erp.cancel(order?.number ?? "", 10, "sold out");
    erp.addOrder();
    await tick();
    expect([await count("cancellations"), await count("orders")]).toEqual([1, 6]);
  });

  test("a tote belongs to one order until that one closes, and a status of the platform is a state here", async () => {
    const { store, erp, open } = await opened(await newAddress());
    const { tick } = await open();
    const [first = "", second = ""] = erp.orders.keys();
    const attach = (order: string) => store.run("INSERT INTO totes (code, order_number) VALUES (?, ?)", ["T-1", order]);
    await attach(first);
    await expect(attach(second)).rejects.toThrow(/tote_in_use|totes\.code/);
    await store.run("INSERT INTO events (entry_id, what, order_number, note) VALUES (?, ?, ?, ?)", [
      ...["evt_1", "status", first, String(WorkOrderStatus.Completed)],
    ]);
    await tick();
    expect(erp.orders.get(first)?.state).toBe("completed");
    await attach(second);
  });

  test("an adapter with the configuration for it is refused a tote in use, and its events are booked", async () => {
    const address = await newAddress();
    const { erp, open } = await opened(address);
    const { tick } = await open();
    const [first = "", second = ""] = erp.orders.keys();
    const { client } = await startAdapter({
      config: parse(sqlConfig(sqlConnection(address)).replace(/\$\{ERP_URL\}/, address)),
    });
    const attach = async (workOrderNumber: string, isAbandonedOrCancelled = false) => {
      const { result } = await client.attachWorkOrder({
        workOrderNumber,
        containerCode: "T-1",
        isAbandonedOrCancelled,
      });
      return operations.attachWorkOrder.results[result];
    };
    expect([await attach(first), await attach(second), await attach(first, true), await attach(second)]).toEqual([
      ...["Success", "ContainerAlreadyAttached", "Success", "Success"],
    ]);
    await client.changeStatus({ number: second, status: WorkOrderStatus.Canceled });
    while (erp.orders.get(second)?.state !== "cancelled") {
      await new Promise((resolve) => setImmediate(resolve));
      await tick();
    }
    const booked = erp.events.flatMap(({ bookings }) => bookings);
    expect(booked.map(({ what, order }) => [what, order])).toEqual([
      ...[
        ["attach", first],
        ["release", first],
        ["attach", second],
        ["state", second],
      ],
    ]);
  });

  test("tables of another application are not changed", async () => {
    const { store, open } = await opened(await newAddress());
    await store.run("CREATE TABLE orders (id int)");
    await store.run("INSERT INTO orders (id) VALUES (1)");
    await expect(open()).rejects.toThrow(/a table orders that is not ours/);
    expect(await store.all("SELECT * FROM orders")).toEqual([{ id: 1 }]);
  });
}

promises(async () => join(temporaryFolder(), "erp.db"));

/** A database of its own on a server. */
async function newDatabase(kind: "postgres" | "mysql", address: PeerAddress): Promise<string> {
  const { host, port, user, password, database } = address;
  const own = (name: unknown) => `${kind}://${user}:${encodeURIComponent(String(password))}@${host}:${port}/${name}`;
  const name = `mock_${randomBytes(6).toString("hex")}`;
  const admin = await openSqlStore(own(database));
  await admin.run(`CREATE DATABASE ${name}`);
  await admin.close();
  return own(name);
}
await peerGroup("postgres", "in PostgreSQL", (address) => promises(() => newDatabase("postgres", address)));
await peerGroup("mariadb", "in MariaDB", (address) => promises(() => newDatabase("mysql", address)));

test("a database of another kind is refused without its password in the text", async () => {
  await expect(openSqlStore("oracle://me:secret@host/db")).rejects.toThrow(/^(?!.*secret).*not known/);
});
