import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiKey, startAdapter } from "../../../test/support/adapter/adapter.ts";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { hasFileModes } from "../../../test/support/test-if.ts";
import { main } from "../main.ts";

async function run(cwd: string, argv: readonly string[], env: Record<string, string> = { CROSSDOCK_API_KEY: apiKey }) {
  const printed: string[] = [];
  const complaints: string[] = [];
  const code = await main(argv, {
    ...{
      isInteractive: false,
      colour: false,
      env: { CROSSDOCK_SAMPLE: "false", ...env },
      cwd,
      untilStopped: async () => "",
    },
    print: (text) => void printed.push(text),
    complain: (text) => void complaints.push(text),
  });
  return { code, text: printed.join("\n"), complaints: complaints.join("\n") };
}

const secret = "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0";

async function usedAdapter() {
  const folder = temporaryFolder();
  const adapter = await startAdapter({
    folder,
    config: {
      connectors: { erp: { type: "webhook", url: "http://127.0.0.1:9", secrets: [secret] } },
      console: { users: { "Maria Rossi": { apiKey: "0123456789abcdef-maria", role: "admin" } } },
      events: { to: "erp" },
    },
  });
  await adapter.client.push.workOrders([workOrder({ number: "4711", description: "for Maria Rossi, Graz" })]);
  await adapter.client.confirmPutWallPlacement({
    ...{ workOrderNumber: "4711", itemNumber: "A-1", completedAmount: 1, userEmail: "maria@example.com" },
  });
  return { folder, url: adapter.url, close: adapter.close };
}
const onAdapter = ({ url }: { url: string }) => ["--url", url];

test("a bundle of the adapter has its findings and its state, and neither secrets nor people", async () => {
  const adapter = await usedAdapter();
  const { code, text } = await run(adapter.folder, ["support-bundle", "--out", "bundle.json", ...onAdapter(adapter)]);
  expect(code, text).toBe(0);
  const file = join(adapter.folder, "bundle.json");
  if (hasFileModes) expect(statSync(file).mode & 0o077).toBe(0);
  const bundle = readFileSync(file, "utf8");
  expect(JSON.parse(bundle)).toMatchObject({
    format: "crossdock-support-bundle-adapter-1",
    doctor: expect.arrayContaining([expect.objectContaining({ subject: "node", state: "ok" })]),
    adapter: { targets: expect.anything(), log: { levels: expect.anything() }, configuration: expect.anything() },
  });
  for (const hidden of [secret, secret.slice(6), "0123456789abcdef", "maria@example.com", "Rossi", apiKey]) {
    expect(bundle).not.toContain(hidden);
  }
  expect(bundle).toContain('"person 1"');
  const again = await run(adapter.folder, ["support-bundle", "--out", "bundle.json", ...onAdapter(adapter)]);
  expect(again).toMatchObject({ code: 1, complaints: expect.stringContaining("cannot be written") });
});

test("a bundle of the adapter can be read: no finding and no name of a connector is masked", async () => {
  const adapter = await usedAdapter();
  const { text } = await run(adapter.folder, ["support-bundle", ...onAdapter(adapter)]);
  expect(JSON.parse(text)).toMatchObject({
    doctor: expect.arrayContaining([{ subject: "node", state: "ok", text: expect.stringMatching(/^Node \d/) }]),
    adapter: { overview: { connectors: [{ name: "erp" }] } },
  });
  expect(text).not.toMatch(/"\*\*\* \(\d+\)"/);
});

test("a bundle with a wrong key says which key to give, and asks once: the next command is not made to wait", async () => {
  const adapter = await usedAdapter();
  const bundle = () =>
    run(adapter.folder, ["support-bundle", ...onAdapter(adapter)], { CROSSDOCK_API_KEY: "not-the-key-of-it" });
  const refused = expect.stringMatching(/does not accept this key.*CROSSDOCK_API_KEY/);
  // Five wrong keys are answered at once; from the next one on the address has to wait.
  for (let times = 0; times < 4; times++) {
    const { code, text } = await bundle();
    expect({ code, ...JSON.parse(text) }).toMatchObject({ code: 0, adapter: { overview: refused, log: refused } });
  }
  expect(await run(adapter.folder, ["log", "show", ...onAdapter(adapter)])).toMatchObject({ code: 0 });
});

test("a bundle of an order needs a reason, and has neither secrets nor people", async () => {
  const adapter = await usedAdapter();
  const without = await run(adapter.folder, ["support-bundle", "4711", ...onAdapter(adapter)]);
  expect(without).toMatchObject({ code: 1, complaints: expect.stringContaining("needs a reason") });
  const given = ["support-bundle", "4711", "--reason", "ticket 12", "--as", "it"];
  const { code, text } = await run(adapter.folder, [...given, ...onAdapter(adapter)]);
  expect(code).toBe(0);
  expect(text).toContain("4711");
  for (const hidden of [secret, "maria@example.com", "Graz"]) expect(text).not.toContain(hidden);
});

test("a bundle of a stopped adapter says what the doctor found", async () => {
  const folder = temporaryFolder();
  const { code, text } = await run(folder, ["support-bundle"], {});
  expect(code).toBe(0);
  expect(JSON.parse(text)).toMatchObject({ adapter: null, doctor: expect.any(Array) });
});

test("a level is set for a while by a command, shown, and ended before its time", async () => {
  const adapter = await usedAdapter();
  const log = (...args: string[]) => run(adapter.folder, ["log", ...args, ...onAdapter(adapter)]);
  expect(await log("level", "delivery", "debug", "--for", "2h", "--as", "it")).toMatchObject({
    ...{ code: 0, text: expect.stringMatching(/^delivery logs at debug, until /) },
  });
  expect((await log("show")).text).toMatch(/delivery +debug +until/);
  expect((await log("level", "delivery", "normal", "--as", "it")).text).toBe("delivery logs at info, as configured.");
  expect(await log("level", "cellar", "debug", "--as", "it")).toMatchObject({ code: 1 });
  expect((await log("level", "delivery", "debug", "--for", "soon")).complaints).toContain("is not a time");
});

test("what touches an order is logged for a while by a command, and printed", async () => {
  const adapter = await usedAdapter();
  const log = (...args: string[]) => run(adapter.folder, ["log", ...args, ...onAdapter(adapter)]);
  expect(await log("order", "4711", "--show")).toMatchObject({ code: 1 });
  expect((await log("order", "4711", "--for", "15m", "--as", "it")).text).toContain("is logged until");
  await fetch(`${adapter.url}/WorkOrders/Code?Code=4711&StorageName=Main`);
  const { text } = await log("order", "4711", "--show");
  expect(text).toContain("GET /WorkOrders/Code?Code=4711");
  expect(text).toMatch(/^ {2}< /m);
  expect(text).not.toContain("Graz");
});

test("a command finds the key of the adapter in the file that the environment names", async () => {
  const adapter = await usedAdapter();
  writeFileSync(join(adapter.folder, "the-key"), `${apiKey}\n`);
  const env = { CROSSDOCK_API_KEY_FILE: join(adapter.folder, "the-key") };
  expect(await run(adapter.folder, ["journal", "list", ...onAdapter(adapter)], env)).toMatchObject({ code: 0 });
});
