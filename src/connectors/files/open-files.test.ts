import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { onEveryStore } from "../../../test/support/connectors/file-stores.ts";
import { openContext } from "../../../test/support/connectors/open-context.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { parseXml } from "../../formats/xml/parse-xml.ts";
import { Fault } from "../../operation/fault.ts";
import type { CallContext, Delivery, OpenContext } from "../../sdk/connector.ts";
import { openFiles } from "./connector.ts";
import type { FilesOptions, Outgoing } from "./options.ts";

const attachment = { workOrderNumber: "W/1", containerCode: "C=1", isAbandonedOrCancelled: false };
const delivery = (body: unknown, rest: Partial<Delivery> = {}): Delivery => ({
  ...{
    entryId: "evt_0190",
    seq: 42,
    topic: "attachWorkOrder",
    attempt: 1,
    replay: 0,
    receivedAt: Date.UTC(2026, 0, 5),
  },
  ...{ body: JSON.stringify(body), lanes: [{ lane: "wo:W/1", position: 1 }] },
  ...rest,
});
const calling = (given: Delivery): CallContext => ({
  language: "en",
  signal: new AbortController().signal,
  delivery: given,
});

async function opened(options: FilesOptions, context: Partial<OpenContext> = {}) {
  const connector = await openFiles(options, {
    ...openContext(context),
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
  });
  onTestFinished(() => connector.close());
  return connector;
}

async function written(outgoing: Outgoing, given = delivery(attachment), input: unknown = attachment) {
  const folder = temporaryFolder();
  const { operations } = await opened({ location: folder, out: { all: outgoing } });
  // Each topic's operation has its own input type; here one stands for all.
  const event = operations.attachWorkOrder as ((input: unknown, context: CallContext) => Promise<unknown>) | undefined;
  await event?.(input, calling(given));
  const [name = ""] = readdirSync(folder);
  return { name, text: readFileSync(join(folder, name), "utf8") };
}

describe("event files", () => {
  onEveryStore((under) => {
    test("every attempt of an entry writes the same file, and nothing else is left", async () => {
      const { folder, options } = under.fresh();
      mkdirSync(join(folder, "out"));
      const { operations } = await opened({ ...options, out: { all: { folder: "out" } } });
      for (const attempt of [1, 2]) {
        const outcome = await operations.attachWorkOrder?.(attachment, calling(delivery(attachment, { attempt })));
        expect(outcome).toEqual({ ok: true, data: null });
      }
      expect(readdirSync(join(folder, "out"))).toEqual(["0000000042-attachWorkOrder-W%2F1-evt_0190.json"]);
    });

    test("a missing folder is a failure of the store, and is over when the folder is back", async () => {
      const { folder, options } = under.fresh();
      const { operations, check } = await opened({ ...options, out: { attachWorkOrder: { folder: "out" } } });
      const event = async () => operations.attachWorkOrder?.(attachment, calling(delivery(attachment)));
      await expect(event()).rejects.toMatchObject({
        kind: "unreachable",
        message: expect.stringContaining("no such folder"),
      });
      await expect(check()).rejects.toThrow(/out.*no such folder/);
      mkdirSync(join(folder, "out"));
      await event();
      await check();
      expect(readdirSync(join(folder, "out")).length).toBe(1);
    });
  });

  test("unmapped JSON holds the body as it was received, to the last digit", async () => {
    const body = '{"workOrderNumber":"W/1","containerCode":"C","big":12345678901234567890}';
    const { text } = await written({}, { ...delivery(null), body });
    expect(text).toBe(
      `{"entryId":"evt_0190","seq":42,"topic":"attachWorkOrder","receivedAt":"2026-01-05T00:00:00.000Z","orderNumber":"W/1","data":${body}}\n`,
    );
  });

  test("a mapping makes the members, in every format, and CSV quotes what needs it and changes nothing", async () => {
    const map = { id: "entryId", order: "data.workOrderNumber", box: "data.containerCode", kind: { value: 'a;"b"' } };
    expect(JSON.parse((await written({ map })).text)).toEqual({
      id: "evt_0190",
      order: "W/1",
      box: "C=1",
      kind: 'a;"b"',
    });
    const csv = await written({ format: "csv", map, delimiter: ";", name: "{topic}_{entryId}.csv" });
    expect(csv).toEqual({
      name: "attachWorkOrder_evt_0190.csv",
      text: 'id;order;box;kind\r\nevt_0190;W/1;C=1;"a;""b"""\r\n',
    });
    const narrow = await written({ format: "csv", map, columns: ["box", "id"], header: false });
    expect(narrow.text).toBe("C=1,evt_0190\r\n");
    const xml = await written({ format: "xml", map, root: "Attach" });
    expect(parseXml(Buffer.from(xml.text))).toEqual({
      value: { Attach: { id: "evt_0190", order: "W/1", box: "C=1", kind: 'a;"b"' } },
    });
  });

  test("a list is one file with an element or a row each", async () => {
    const list = ["C1", "C2"].map((containerCode) => ({ containerCode, workOrder: { number: "W" } }));
    const given = delivery(list, { topic: "relocateCartContainers" });
    const map = { box: "data.containerCode", order: "data.workOrder.number" };
    expect((await written({ format: "csv", map }, given, list)).text).toBe("box,order\r\nC1,W\r\nC2,W\r\n");
    expect(JSON.parse((await written({ map }, given, list)).text)).toEqual([
      { box: "C1", order: "W" },
      { box: "C2", order: "W" },
    ]);
    expect((await written({ format: "xml", map }, given, list)).text).toContain("<element><box>C1</box>");
    expect((await written({ format: "csv" }, given, list)).text).toContain("data.workOrder.number\r\n");
  });

  test("a number made of anything is a plain file name", async () => {
    for (const number of ["../../etc/passwd", "-rf", ".hidden", "a\nb", "x".repeat(400), "\u202Etxt", "ü/ö"]) {
      const { name } = await written(
        { name: "{orderNumber}-{entryId}.json" },
        delivery(attachment, { lanes: [{ lane: `wo:${number}`, position: 1 }] }),
      );
      expect(name).toMatch(/^[\p{L}\p{N}%][\p{L}\p{N}%._-]*-evt_0190\.json$/u);
      expect(name.length).toBeLessThan(120);
    }
  });

  test.each([
    ["{topic}.json", "needs {entryId}"],
    ["../{entryId}", "plain file name"],
    ["{entryId}-{nr}", "there is no {nr}"],
  ])("the name %s is refused when it is opened", async (name, reason) => {
    await expect(opened({ location: temporaryFolder(), out: { all: { name } } })).rejects.toThrow(reason);
  });

  test("receipts of pushed changes are written too, and events without a place are not offered", async () => {
    const folder = temporaryFolder();
    const { notices, operations } = await opened({ location: folder, out: { notices: {} } });
    await notices?.(
      "changeReceipt",
      { state: "removed" },
      calling(delivery({ state: "removed" }, { topic: "changeReceipt" })),
    );
    expect(readdirSync(folder)).toEqual(["0000000042-changeReceipt-W%2F1-evt_0190.json"]);
    expect(Object.keys(operations)).toEqual([]);
  });

  test("derived events are written only if they are named, and may be mapped with the order", async () => {
    const folder = temporaryFolder();
    expect((await opened({ location: folder, out: { all: {} } })).derived).toBeUndefined();
    const map = { order: "order.externalIdentifier", how: "data.outcome" };
    const { derived } = await opened({ location: folder, out: { orderFinished: { map } } });
    const order = { number: "W/1", externalIdentifier: "X-1", dueDate: "2030-01-01T00:00:00Z", requests: [] };
    const context = calling(delivery({ outcome: "short" }, { topic: "orderFinished" }));
    // Contains only the members that the mapping reads.
    await derived?.orderFinished?.({ outcome: "short" } as never, {
      ...context,
      findSubject: async () => ({ order, line: null }),
    });
    const [name = ""] = readdirSync(folder);
    expect(JSON.parse(readFileSync(join(folder, name), "utf8"))).toEqual({ order: "X-1", how: "short" });
  });
});

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
const querying: CallContext = { language: "en", signal: new AbortController().signal };

describe("item images", () => {
  onEveryStore((under) => {
    test("are found by item number, any of the extensions, and never outside of the folder", async () => {
      const { folder, options } = under.fresh();
      mkdirSync(join(folder, "img"));
      writeFileSync(join(folder, "img", "A-1.jpg"), png);
      writeFileSync(join(folder, "img", "a%2Fb.png"), png);
      writeFileSync(join(folder, "secret.png"), png);
      writeFileSync(join(folder, "img", "text.png"), "no image");
      const { operations } = await opened({ ...options, images: { folder: "img", pattern: "{itemNumber}.{png|jpg}" } });
      const query = async (number: string) => operations.getItemImage?.({ number }, querying);
      expect(await query("A-1")).toEqual({ ok: true, data: png.toString("base64") });
      expect(await query("a/b")).toMatchObject({ ok: true });
      for (const number of ["B", "../secret", "..", "x\0y"]) {
        expect(await query(number)).toMatchObject({ ok: false, result: "ImageDoesNotExist" });
      }
      await expect(query("text")).rejects.toMatchObject({ kind: "rejected" });
    });

    test("are not reported as missing if the folder itself does not exist", async () => {
      const { folder, options } = under.fresh();
      mkdirSync(join(folder, "img"));
      const { operations } = await opened({ ...options, images: { folder: "img" } });
      rmSync(join(folder, "img"), { recursive: true });
      await expect(operations.getItemImage?.({ number: "A-1" }, querying)).rejects.toMatchObject({
        kind: "unreachable",
      });
    });
  });

  test("are fetched from an address made of the number", async () => {
    const paths: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url);
      if (request.url === "/i/away.png") response.writeHead(302, { location: "/i/A.png" }).end();
      else response.writeHead(request.url === "/i/none.png" ? 404 : 200).end(png);
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const images = { url: `http://127.0.0.1:${port}/i/{itemNumber}.png` };
    const { operations } = await opened({ location: temporaryFolder(), images });
    const query = async (number: string) => operations.getItemImage?.({ number }, querying);
    expect(await query("a/../b?c")).toMatchObject({ ok: true });
    expect(await query("none")).toMatchObject({ result: "ImageDoesNotExist" });
    await expect(query("away")).rejects.toMatchObject({ kind: "rejected" });
    expect(paths).toEqual(["/i/a%2F..%2Fb%3Fc.png", "/i/none.png", "/i/away.png"]);
  });
});

describe("the whole connector", () => {
  onEveryStore((under) => {
    test("imports files until it is stopped, and previews waiting files without changing them", async () => {
      const { folder, options } = under.fresh();
      mkdirSync(join(folder, "in"));
      const file = join(folder, "in", "items.json");
      writeFileSync(file, '[{"number":"A"},{"number":"B"}]');
      const incoming = { topic: "items" as const, folder: "in", everySeconds: 0, settleSeconds: 0 };
      const { source, preview, check } = await opened({ ...options, in: [incoming] });
      await check();
      expect(await preview?.(1)).toMatchObject([{ serves: "items", raw: { number: "A" }, mapped: { number: "A" } }]);
      expect(existsSync(file)).toBe(true);
      const taken: unknown[] = [];
      const running = source?.start(async ({ elements }) => {
        taken.push(...elements);
        return { ids: elements.map(String), unchanged: 0, bad: [] };
      });
      await vi.waitFor(() => expect(taken).toEqual([{ number: "A" }, { number: "B" }]), 60_000);
      await running?.stop();
      expect(readdirSync(join(folder, "in", "done")).length).toBe(1);
      writeFileSync(file, '[{"number":"C"}]');
      expect(taken.length).toBe(2);
    });
  });

  test("a failure of the store is logged once, and its end once", async () => {
    const folder = temporaryFolder();
    const logged: string[] = [];
    const note = (_: object, text: string) => void logged.push(text);
    const log = { debug: note, info: note, warn: note, error: note };
    const incoming = { topic: "items" as const, folder: "in", everySeconds: 0, settleSeconds: 0 };
    const { source } = await opened({ location: folder, in: [incoming] }, { log });
    let looks = 0;
    const results: string[] = [];
    const take = async () => {
      looks++;
      return { ids: [], unchanged: 0, bad: [] };
    };
    const sourceResult = (part: string, result: string) => void results.push(`${part} ${result}`);
    const running = source?.start(Object.assign(take, { sourceResult }));
    await vi.waitFor(() => expect(logged).toEqual(["file import failed; it is retried"]), 60_000);
    mkdirSync(join(folder, "in"));
    writeFileSync(join(folder, "in", "a.json"), "[]");
    await vi.waitFor(() => expect(logged).toContain("file import works again"), 60_000);
    await running?.stop();
    expect([looks, logged.filter((text) => text === "file import failed; it is retried").length]).toEqual([1, 1]);
    // Each attempt is reported, so that a failure that lasts raises an alarm.
    expect([results.slice(0, 2), results.at(-1)]).toEqual([
      ["in[0]: items begun", "in[0]: items failed"],
      "in[0]: items worked",
    ]);
  });

  test("a folder that fails when it is stopped is reported as working, so that no alarm stays; two topics are told apart", async () => {
    const folder = temporaryFolder();
    const given = { folder: "in", everySeconds: 3_600 };
    const { source } = await opened({
      location: folder,
      in: [
        { topic: "items", ...given },
        { topic: "stock", ...given },
      ],
    });
    const results: string[] = [];
    const sourceResult = (part: string, result: string) => void results.push(`${part} ${result}`);
    const take = async () => ({ ids: [], unchanged: 0, bad: [] });
    const running = source?.start(Object.assign(take, { sourceResult }));
    const failed = () => results.filter((result) => result.endsWith("failed"));
    await vi.waitFor(() => expect(failed()).toEqual(["in[0]: items failed", "in[1]: stock failed"]), 60_000);
    await running?.stop();
    expect(results.slice(4).toSorted()).toEqual(["in[0]: items worked", "in[1]: stock worked"]);
  });

  test("a folder outside of `location` is refused when it is opened, a missing `location` is not made", async () => {
    const folder = temporaryFolder();
    await expect(opened({ location: folder, out: { all: { folder: "../elsewhere" } } })).rejects.toThrow(
      "outside of `location`",
    );
    rmSync(folder, { recursive: true });
    const { check } = await opened({ location: folder, in: [{ topic: "items" }] });
    await expect(check()).rejects.toThrow(Fault);
    expect(existsSync(folder)).toBe(false);
  });
});
