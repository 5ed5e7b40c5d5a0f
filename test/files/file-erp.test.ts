import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { startAdapter } from "../support/adapter/adapter.ts";
import { onEveryStore } from "../support/connectors/file-stores.ts";

const waiting = { timeout: 60_000, interval: 50 };
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1]);

onEveryStore(({ fresh }) => {
  test("an ERP that knows files only has its orders picked and hears of it by file", async () => {
    const { folder, options } = fresh();
    for (const name of ["orders", "items", "cancel", "events", "pictures"]) mkdirSync(join(folder, name));
    const often = { everySeconds: 0, settleSeconds: 0 };
    const map = {
      number: "@nr",
      dueDate: { from: "Due", date: "dd.MM.yyyy" },
      requests: { each: "Line", map: { itemNumber: "Sku", requestedAmount: "Qty" } },
    };
    const erp = {
      ...{ type: "files", ...options, images: { folder: "pictures" }, out: { all: { folder: "events" } } },
      in: [
        { topic: "workOrders", folder: "orders", pattern: "*.csv", ...often },
        { topic: "workOrders", folder: "orders", pattern: "*.xml", map, ...often },
        { topic: "items", folder: "items", ...often },
        { topic: "cancellations", folder: "cancel", ...often },
      ],
    };
    const { client } = await startAdapter({
      config: { connectors: { erp }, serve: { images: "erp" }, events: { to: "erp" } },
    });
    const numbers = async () => (await client.listWorkOrders()).data?.map(({ number }) => number) ?? [];
    const orders = "number;dueDate;itemNumber;requestedAmount\r\nW-1;2030-01-31;A-1;2\r\nW-2;2030-01-31;A-1;1\r\n";
    writeFileSync(join(folder, "orders", "a.csv"), orders);
    writeFileSync(join(folder, "orders", "bad.csv"), orders.replace(";1\r\n", ";one\r\n"));
    const xml = '<Orders><Order nr="X-1"><Due>31.01.2030</Due><Line><Sku>A-1</Sku><Qty>3</Qty></Line></Order></Orders>';
    writeFileSync(join(folder, "orders", "b.xml"), xml);
    writeFileSync(join(folder, "items", "items.json"), '[{"number":"A-1","name":"Box"}]');
    writeFileSync(join(folder, "pictures", "A-1.png"), png);
    await vi.waitFor(async () => expect((await numbers()).toSorted()).toEqual(["W-1", "W-2", "X-1"]), waiting);
    await vi.waitFor(async () => expect((await client.getItem({ number: "A-1" })).data?.name).toBe("Box"), waiting);
    expect((await client.getItemImage({ number: "A-1" })).data).toBe(png.toString("base64"));
    await vi.waitFor(() => expect(readdirSync(join(folder, "orders", "error")).length).toBe(2), waiting);

    await client.attachWorkOrder({ workOrderNumber: "W-1", containerCode: "C-1" });
    // A file that is still being written begins with a dot.
    const written = () => readdirSync(join(folder, "events")).filter((name) => !name.startsWith("."));
    await vi.waitFor(() => expect(written()).toHaveLength(1), waiting);
    const [event = ""] = written();
    expect(JSON.parse(readFileSync(join(folder, "events", event), "utf8"))).toMatchObject({
      topic: "attachWorkOrder",
      orderNumber: "W-1",
      data: { containerCode: "C-1" },
    });

    writeFileSync(join(folder, "cancel", "c.csv"), "workOrderNumber\r\nW-2\r\n");
    await vi.waitFor(async () => expect(await numbers()).not.toContain("W-2"), waiting);
    expect(existsSync(join(folder, "cancel", "c.csv"))).toBe(false);
  });
});
