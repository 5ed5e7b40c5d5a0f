import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiKey, startAdapter } from "../../../../test/support/adapter/adapter.ts";
import { receiver } from "../../../../test/support/receivers/receiver.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { operations } from "../../../contract/operations.ts";
import type { Terminal } from "../../command.ts";
import { main } from "../../main.ts";

/** A real adapter that delivers to a receiver which refuses one item, and does not answer for another. */
async function floor() {
  const folder = temporaryFolder();
  const erp = await receiver((response, { body }) => {
    if (body.includes('"GONE"')) return void response.destroy();
    const isBad = body.includes('"BAD"');
    response.writeHead(isBad ? 422 : 200, { "content-type": "application/json" }).end(isBad ? '{"no":1}' : "{}");
  });
  const adapter = await startAdapter({
    folder,
    config: {
      connectors: { erp: { type: "webhook", url: erp.url, deployment: "test" } },
      events: { to: "erp" },
    },
  });
  const run = async (argv: readonly string[], { env = {}, isInteractive = false } = {}) => {
    const out: string[] = [];
    const errors: string[] = [];
    const terminal: Terminal = {
      print: (text) => out.push(text),
      complain: (text) => errors.push(text),
      isInteractive,
      colour: false,
      env: { ...process.env, CROSSDOCK_API_KEY: apiKey, ...env },
      cwd: folder,
      untilStopped: () => Promise.resolve("SIGTERM"),
    };
    const code = await main(["journal", ...argv], terminal);
    return { code, out: out.join("\n"), errors: errors.join("\n") };
  };
  const placed = (itemNumber: string, workOrderNumber = "W-1") =>
    adapter.client.confirmPutWallPlacement({
      ...{ workOrderNumber, itemNumber, completedAmount: 1, userEmail: "jo@example.com" },
    });
  const states = async (): Promise<string[]> =>
    JSON.parse((await run(["list", "--json"])).out).entries.map(({ state }: { state: string }) => state);
  const items = () => erp.requests.map(({ body }) => JSON.parse(body.toString()).itemNumber);
  return { folder, erp, adapter, run, placed, states, items };
}

test("a dead entry is found, shown, corrected and delivered, and the entries behind it follow in order", async () => {
  const { run, placed, states, items, folder } = await floor();
  await placed("BAD");
  await expect.poll(states).toEqual(["dead"]);
  await placed("A-2");

  const listed = await run(["list", "--state", "dead"], { isInteractive: true });
  expect(listed.out).toMatch(
    /Entry +Received +State +Kind +Orders +What\n +1 .*dead: refused.*1 × BAD put on the wall/,
  );
  expect((await run(["list", "--item", "A-2"])).out.split("\t")).toMatchObject([
    "2",
    expect.stringMatching("evt_"),
    expect.anything(),
    "accepted",
    "confirmPutWallPlacement",
    "W-1",
    "1 × A-2 put on the wall",
  ]);
  const shown = await run(["show", "1"]);
  expect(shown.out).toMatch(/Attempts\n +1 .* ms +dead +422/);
  expect(shown.out).toMatch(/Waiting behind it: 1\n +2 +accepted/);
  expect(shown.out).toContain("j***@example.com");
  expect(shown.out).not.toContain("jo@example.com");
  expect((await run(["show", "1", "--personal"])).out).toContain("jo@example.com");

  const body = JSON.stringify({ workOrderNumber: "W-1", itemNumber: "A-1", completedAmount: 1 });
  writeFileSync(join(folder, "new.json"), body);
  expect(await run(["edit", "1", "--body", "new.json"])).toMatchObject({
    code: 1,
    errors: expect.stringContaining("edit needs a reason"),
  });
  const edit = ["edit", "1", "--body", "new.json", "--reason", "renamed", "--as", "kim"];
  expect(await run(edit)).toMatchObject({ code: 0, errors: "" });
  await expect.poll(states).toEqual(["delivered", "delivered"]);
  expect(items()).toEqual(["BAD", "A-1", "A-2"]);
  expect((await run(["show", "1"])).out).toMatch(/Decisions\n.*kim +edit +renamed/);
  expect((await run(["timeline", "W-1"])).out).toMatch(
    /platform →.*\n.*attempt 1 to erp: failed, answered 422[\s\S]*edited by kim: renamed[\s\S]*attempt 2 to erp: delivered/,
  );
});

test("a secret in an event of the platform is masked by its name; only who may edit the event sees it", async () => {
  const { run, adapter, states, folder } = await floor();
  const externalData = JSON.stringify({ bin: "A-1", login: { user: "jo", password: "hunter-2", pin_token: 4711 } });
  await adapter.client.confirmPutWallPlacement({
    ...{ workOrderNumber: "W-1", itemNumber: "BAD", completedAmount: 1, externalData },
  });
  await expect.poll(states).toEqual(["dead"]);
  const exported = join(folder, "all.ndjson");
  await run(["export", "--out", exported]);
  const shown = [await run(["show", "1"]), await run(["show", "1", "--json"]), await run(["timeline", "W-1"])];
  const texts = [...shown.map(({ out }) => out), readFileSync(exported, "utf8")];
  for (const text of texts) expect(text).not.toMatch(/hunter-2|pin_token\W+4711/);
  for (const text of [...texts.slice(0, 2), ...texts.slice(3)]) expect(text).toContain("A-1");
  expect((await run(["show", "1", "--personal"])).out).toContain("hunter-2");
});

test("an action on many entries needs a dry run and --yes; a skip needs a reason", async () => {
  const { run, placed, states, items } = await floor();
  for (const order of ["W-1", "W-2"]) await placed("BAD", order);
  await expect.poll(states).toEqual(["dead", "dead"]);
  const skip = ["skip", "--item", "BAD", "--as", "kim"];
  expect(await run(skip)).toMatchObject({ code: 1, errors: expect.stringContaining("skip needs a reason") });
  const dry = await run([...skip, "--reason", "by hand"]);
  expect(dry).toMatchObject({ code: 0, errors: expect.stringContaining("2 entries") });
  expect(dry.errors).toContain("Nothing was done");
  expect(await states()).toEqual(["dead", "dead"]);
  expect((await run([...skip, "--reason", "by hand", "--yes"])).out).toBe("skip: 2 of 2 entries done.");
  expect(await states()).toEqual(["discarded", "discarded"]);
  expect((await run(["show", "2"])).out).toMatch(/kim +skip +by hand/);

  expect((await run(["replay", "1", "--reason", "after all", "--as", "kim"])).code).toBe(0);
  await expect.poll(items).toEqual(["BAD", "BAD", "BAD"]);
  expect(await run(["retry"])).toMatchObject({ code: 1, errors: expect.stringContaining("name one entry") });
  expect(await run(["retry", "2"])).toMatchObject({ code: 1, errors: expect.stringContaining("Entry 2 is discarded") });
});

test("entries are selected by one or several reasons why they are not delivered, and only these are changed", async () => {
  const { run, placed, states } = await floor();
  await placed("BAD");
  await expect.poll(states).toEqual(["dead"]);
  await placed("A-2");
  await placed("GONE", "W-2");
  await expect.poll(states).toEqual(["retry", "accepted", "dead"]);
  const found = async (kinds: string): Promise<number[]> => {
    const { code, out } = await run(["list", "--failure", kinds, "--json"]);
    expect(code).toBe(0);
    return JSON.parse(out).entries.map(({ seq }: { seq: number }) => seq);
  };
  expect(await found("refused")).toEqual([1]);
  expect(await found("unreachable")).toEqual([3]);
  expect(await found("behind")).toEqual([2]);
  expect(await found("refused,unreachable")).toEqual([3, 1]);
  expect(await found("unreachable, REFUSED")).toEqual([3, 1]);
  expect(await found("refused,unreachable,behind,waiting")).toEqual([3, 2, 1]);
  for (const wrong of ["refused,lost", "refused,", "lost"]) {
    const refused = await run(["list", "--failure", wrong]);
    expect({ wrong, code: refused.code }).toEqual({ wrong, code: expect.toSatisfy((code) => code !== 0) });
    expect(refused.errors).toContain("refused, unreachable, behind, waiting");
  }
  const skip = ["skip", "--failure", "refused,unreachable", "--as", "kim", "--reason", "booked by hand"];
  expect((await run(skip)).errors).toContain("2 entries");
  await expect.poll(states).toEqual(["retry", "accepted", "dead"]);
  expect(await run([...skip, "--yes"])).toMatchObject({ code: 0 });
  await expect.poll(states).toEqual(["discarded", "delivered", "discarded"]);
});

test("edit opens the body indented in the editor and keeps long numbers; an unchanged body does nothing", async () => {
  const { run, adapter, states, folder, erp } = await floor();
  const input = '{"workOrderNumber":"W-1","itemNumber":"BAD","completedAmount":1,"erpId":9007199254740993}';
  const headers = { "content-type": "application/json" };
  await fetch(adapter.url + operations.confirmPutWallPlacement.path, { method: "POST", headers, body: input });
  await expect.poll(states).toEqual(["dead"]);
  const edit = (editor: string) => run(["edit", "1", "--reason", "x"], { env: { VISUAL: "", EDITOR: editor } });
  expect(await edit("true")).toMatchObject({ code: 1, errors: expect.stringContaining("unchanged") });
  expect(await edit("false")).toMatchObject({ code: 1, errors: expect.stringContaining("nothing was changed") });
  expect(await edit("")).toMatchObject({ code: 1, errors: expect.stringContaining("no editor is set") });
  const program = join(folder, "editor.sh");
  writeFileSync(program, `cp "$1" "${join(folder, "seen.json")}"; sed -i s/BAD/GOOD/ "$1"`);
  expect(await edit(`sh ${program}`)).toMatchObject({ code: 0 });
  expect(readFileSync(join(folder, "seen.json"), "utf8")).toContain('{\n  "workOrderNumber": "W-1",\n');
  await expect.poll(states).toEqual(["delivered"]);
  expect(erp.requests.at(-1)?.body.toString()).toBe(input.replace("BAD", "GOOD"));
});

test("an export goes to standard output or into a file that only its owner can read", async () => {
  const { run, placed, states, folder } = await floor();
  await placed("A-1");
  await placed("A-2");
  await expect.poll(states).toEqual(["delivered", "delivered"]);
  const { out } = await run(["export"]);
  expect(out.split("\n").map((line) => JSON.parse(line).seq)).toEqual([2, 1]);
  expect((await run(["export", "--format", "csv", "--item", "A-1"])).out).toMatch(/^seq,id.*\r\n1,evt_/);
  expect(await run(["export", "--out", "all.ndjson"])).toMatchObject({ code: 0, out: "" });
  expect(readFileSync(join(folder, "all.ndjson"), "utf8").trimEnd()).toBe(out);
});

test("without a running adapter the file is read, actions are refused, and the message says how to start", async () => {
  const { run, placed, states, adapter, folder } = await floor();
  await placed("BAD");
  await expect.poll(states).toEqual(["dead"]);
  await adapter.close();
  const listed = await run(["list", "--state", "dead"]);
  expect(listed).toMatchObject({ code: 0, errors: expect.stringContaining("No adapter is running on") });
  expect(listed.out).toContain("1 × BAD put on the wall");
  expect((await run(["show", "1"])).out).toContain("422");
  expect((await run(["timeline", "W-1"])).out).toContain("attempt 1 to erp");
  expect(await run(["list", "--state", "ded"])).toMatchObject({
    code: 1,
    errors: expect.stringContaining("must be of"),
  });
  for (const action of [["retry", "1"], ["skip", "1", "--reason", "x"], ["export"]]) {
    const { code, errors } = await run(action);
    expect(code).toBe(1);
    expect(errors).toContain("no adapter is running on");
    expect(errors).toContain("crossdock start");
  }
  expect(await run(["list", "--data", join(folder, "nowhere")])).toMatchObject({ code: 1 });
  expect((await run(["list", "--url", "http://127.0.0.1:1"])).errors).toContain("no adapter answers");

  // A killed adapter leaves its file behind; another process with its id or port must not be called.
  writeFileSync(join(folder, "data/adapter.json"), JSON.stringify({ url: adapter.url, pid: 2 ** 22 + 1 }));
  expect((await run(["list"])).errors).toContain("No adapter is running on");
  writeFileSync(join(folder, "data/adapter.json"), JSON.stringify({ url: adapter.url, pid: process.pid }));
  expect((await run(["list"])).errors).toContain("No adapter is running on");
  expect((await run(["retry", "1"])).errors).toContain("no adapter is running on");
});

test("a wrong key and a missing entry are reported with what to do next", async () => {
  const { run } = await floor();
  const wrong = await run(["list"], { env: { CROSSDOCK_API_KEY: "another" } });
  expect(wrong).toMatchObject({ code: 1, errors: expect.stringContaining("does not accept this key") });
  expect(await run(["show", "99"])).toMatchObject({ code: 1, errors: expect.stringContaining("no entry 99") });
  expect(await run(["explain", "nobody"])).toMatchObject({ code: 1, out: "" });
  expect(await run(["timeline", "nobody"])).toMatchObject({
    code: 1,
    errors: expect.stringContaining("Nothing is known"),
  });
  expect(await run(["list", "--limit", "many"])).toMatchObject({
    code: 1,
    errors: expect.stringContaining("not a number"),
  });
  expect(await run(["lst"])).toMatchObject({ code: 2, errors: expect.stringContaining("crossdock journal --help") });
  expect(await run(["show"])).toMatchObject({
    code: 2,
    errors: expect.stringContaining("crossdock journal show --help"),
  });
});
