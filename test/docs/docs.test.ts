import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { shelf } from "../../docs/examples/shelf-connector.ts";
import { start } from "../../src/app/start.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { webhookOptions } from "../../src/connectors/webhook/options.ts";
import { operations } from "../../src/contract/operations.ts";
import { headerIndex } from "../../src/formats/csv/map-columns.ts";
import { foldName } from "../../src/formats/fields/enum-names.ts";
import { orderFields } from "../../src/formats/fields/order-fields.ts";
import { startAdapter } from "../support/adapter/adapter.ts";
import { section } from "../support/adapter/walkthrough.ts";
import { compiled } from "../support/built-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");
const textOf = (file: string) => readFileSync(join(root, file), "utf8");
const documents = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md"],
  ...[".changeset/README.md", ".github/PULL_REQUEST_TEMPLATE.md"],
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => join("docs", file)),
];
const blocks = (file: string, language: string): string[] =>
  [...textOf(file).matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter((block) => block[1] === language)
    .map(([, , it]) => it ?? "");

test.each(documents)("every link of %s leads somewhere", (file) => {
  const prose = textOf(file).replace(/^```.*?^```$/gms, "");
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? "");
  const broken = links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? join(root, file) : resolve(root, dirname(file), path);
    return !existsSync(target) || (anchor !== undefined && !anchorsOf(readFileSync(target, "utf8")).has(anchor));
  });
  expect(broken).toEqual([]);
});

/** Names of the headings as they stand in an address, of which equal ones are counted, and names given by hand. */
function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set([...markdown.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id));
  for (const [, heading = ""] of markdown.matchAll(/^#+ (.+)$/gm)) {
    const plain = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    let anchor = plain;
    for (let before = 1; anchors.has(anchor); before++) anchor = `${plain}-${before}`;
    anchors.add(anchor);
  }
  return anchors;
}

const configurations = documents.flatMap((file) =>
  blocks(file, "yaml").map((text, index) => ({ name: `${file}, number ${index + 1}`, text })),
);

const senderSecrets = Object.fromEntries(
  ["SHOP_SECRET", "OFFICE_PASSWORD", "SCANNER_SECRET", "PLATFORM_KEY", "ALERT_SECRET", "MAIL_PASSWORD"].map((name) => [
    name,
    `secret of ${name}`,
  ]),
);

const consoleKeys = {
  VERA_KEY: "key-of-vera-0123456789",
  OTTO_KEY: "key-of-otto-0123456789",
  OIDC_SECRET: "secret-of-the-client",
};

test.each(configurations)("the adapter starts with the configuration in $name", async ({ text }) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "crossdock.yaml"), text);
  const { config, settings } = await loadConfig({
    env: { ...consoleKeys, PORT: "0", SFTP_PASSWORD: "secret", ERP_PASSWORD: "secret", ...senderSecrets },
    cwd: folder,
  });
  const adapter = await start({ config, settings: { ...settings, apiKey: "k" } });
  const answer = await fetch(adapter.url + operations.getStatus.path);
  await adapter.close();
  expect(answer.status).toBe(200);
});

const decisions = readdirSync(join(root, "docs/decisions")).filter((file) => /^\d/.test(file));

test("every dependency has its reason in a decision record", () => {
  const manifest = JSON.parse(textOf("package.json")) as Record<string, Record<string, string>>;
  const groups = ["dependencies", "optionalDependencies", "devDependencies"];
  const names = groups.flatMap((group) => Object.keys(manifest[group] ?? {}));
  const records = decisions.map((file) => textOf(`docs/decisions/${file}`)).join("\n");
  expect(names.filter((name) => !records.includes(`\`${name}\``))).toEqual([]);
});

const areas =
  "project|contract|messages|server|engine|journal|delivery|store|connectors|mapping|files|configuration|operations|tools|tests";
const decisionHead = new RegExp(
  [
    String.raw`^# (?<number>\d+)\. .+\n`,
    "- Status: (?<status>accepted|superseded in part|superseded)",
    String.raw`- Date: \d{4}-\d\d-\d\d`,
    `- Area: (?:${areas})`,
    String.raw`- Superseded by: (?:–|\[(?<later>\d{4})\]\(\k<later>-[\w-]+\.md\)(?:: .+)?)`,
    "",
  ].join("\n"),
);

test.each(decisions)("decision record %s has the fixed head, and says context, decision and consequence", (file) => {
  const text = textOf(`docs/decisions/${file}`);
  const head = decisionHead.exec(text)?.groups;
  expect(head, "the head is described in docs/decisions/README.md").toBeDefined();
  expect(Number(head?.["number"])).toBe(Number(file.slice(0, 4)));
  expect(head?.["later"] !== undefined).toBe(head?.["status"] !== "accepted");
  if (head?.["later"] !== undefined) expect(Number(head["later"])).toBeGreaterThan(Number(head["number"]));
  expect(text.match(/^## .+$/gm)).toEqual(["## Context", "## Decision", "## Consequence"]);
  expect(textOf("docs/decisions/README.md")).toContain(`| [${file.slice(0, 4)}](${file}) |`);
});

test("every number up to the latest decision is a record, or stands in the index with the reason why not", () => {
  const index = textOf("docs/decisions/README.md");
  const rows = [...index.matchAll(/^\| \[?(\d{4})\]?(\S*) \| (.+?) \|/gm)];
  const numbers = rows.map(([, number]) => Number(number));
  expect(numbers).toEqual(numbers.map((_, position) => position + 1));
  const withoutRecord = rows.filter(([, , link]) => link === "");
  expect(withoutRecord.filter(([, , , said = ""]) => !/^(folded into \[\d{4}\]\(|not used)/.test(said))).toEqual([]);
  expect(rows.length - withoutRecord.length).toBe(decisions.length);
});

test("headings that the documentation of files names are read as what it says", () => {
  const rows = [...textOf("docs/how-to/files.md").matchAll(/^\| `(\w+)` \| (.+) \|$/gm)];
  const index = headerIndex(orderFields);
  const misread = rows.flatMap(([, member, headings = ""]) =>
    [member ?? "", ...headings.split(", ")]
      .filter((heading) => index.get(foldName(heading))?.field.name !== member)
      .map((heading) => `${heading} is not read as ${member}`),
  );
  expect(rows.length).toBeGreaterThan(10);
  expect(misread).toEqual([]);
});

test("the documentation of the code names every room", () => {
  const text = textOf("docs/explanation/architecture.md");
  const rooms = readdirSync(join(root, "src"));
  expect(rooms.filter((room) => !text.includes(`| \`src/${room}\` |`))).toEqual([]);
});

test("what the documentation says the readiness says is what it says", () => {
  const operate = textOf("docs/how-to/operate.md");
  const reasons = [...section(operate, "Health").matchAll(/^\| (`.+?`) \|/gm)].filter(([row]) => !row.includes("GET"));
  const texts = reasons.flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, text = ""]) => text.split("…").map((piece) => piece.trim())),
  );
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => textOf(join("src", file)))
    .join("\n");
  expect(reasons.length).toBeGreaterThan(4);
  expect(texts.filter((text) => !sources.includes(text))).toEqual([]);
});

test("the documentation of the webhook names every option, and none that is not there", () => {
  const rows = [...section(textOf("docs/how-to/deliver-by-webhook.md"), "Options").matchAll(/^\| `(\w+)` \|/gm)];
  expect(rows.map(([, name]) => name).toSorted()).toEqual(Object.keys(webhookOptions.properties).toSorted());
});

test("the connector in the documentation is the one in the examples", () => {
  const shown = blocks("docs/how-to/write-a-connector.md", "ts");
  for (const file of ["docs/examples/shelf-connector.ts", "docs/examples/start-shelf.ts"]) {
    expect(shown).toContain(textOf(file));
  }
});

test("the example connector serves orders of its ERP, reports unknown ones and passes on the entry's id", async () => {
  const keys: unknown[] = [];
  const erp = createServer((request, response) => {
    if (request.method === "POST") keys.push(request.headers["idempotency-key"]);
    const order = { id: "7", due: "2030-01-31", lines: [{ sku: "A-1", pieces: 2 }] };
    response.writeHead(request.url === "/orders/8" ? 404 : 200).end(JSON.stringify(order));
  });
  await new Promise<void>((listening) => erp.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void erp.close());
  const address = erp.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const connector = {
    ...shelf,
    open: (_: object, context: Parameters<typeof shelf.open>[1]) =>
      shelf.open({ address: `http://127.0.0.1:${port}` }, context),
  };
  const { client } = await startAdapter({ connector });

  const found = await client.findWorkOrderByCode({ Code: "7", StorageName: "Main" });
  expect(found.data).toMatchObject({ number: "7", dueDate: "2030-01-31T00:00:00Z", requests: [{ requestType: 1 }] });
  const unknown = await client.findWorkOrderByCode({ Code: "8", StorageName: "Main" });
  expect(unknown).toMatchObject({ isResultSuccess: false, externalMessage: "Shelf has no order 8." });
  const step = { workOrderNumber: "7", requestId: 1, amountToConfirmPlacingInBaseUnitOfMeasure: 1 };
  expect((await client.confirmStep(step)).isResultSuccess).toBe(true);
  expect(keys).toEqual([expect.stringMatching(/^evt_/)]);
  expect((await client.getItem({ number: "A-1" })).isResultSuccess).toBe(false);
});

test("the example's start serves the contract until it is told to stop", async () => {
  const cwd = temporaryFolder();
  const env = { ...compiled(), PATH: process.env["PATH"], PORT: "0" };
  const child = spawn(process.execPath, [join(root, "docs/examples/start-shelf.ts")], { cwd, env });
  const closed = once(child, "close");
  const [printed] = (await once(child.stdout, "data")) as [Buffer];
  const url = /http:\S+/.exec(printed.toString())?.[0] ?? "";
  expect((await fetch(url + operations.getStatus.path)).status).toBe(200);
  child.kill("SIGTERM");
  expect((await closed)[0]).toBe(0);
});

// Without a repository, as in an unpacked archive, nobody can say which files are ours.
test("no file names a path of one machine or the address of a registry", ({ skip }) => {
  if (!existsSync(join(root, ".git"))) skip("a copy without .git does not say which files are its own");
  const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" }).split("\0");
  // Put together here, so that this file does not name them itself.
  const folders = ["work", "root", "home", "Users"].join("|");
  const machinePath = new RegExp(`(?:^|[\\s"'\`(=:])/(?:${folders})(?:/|\\b(?![-\\w/{]))`, "m");
  const registry = new RegExp(["registry", String.raw`[\w-]+`, String.raw`\w+`].join(String.raw`\.`));
  const resolved = /"resolved":\s*"http/;
  const found = tracked
    .filter((file) => file !== "" && existsSync(join(root, file)))
    .filter((file) => [machinePath, resolved].some((pattern) => pattern.test(textOf(file))) || namesRegistry(file));
  expect(found).toEqual([]);

  function namesRegistry(file: string): boolean {
    // In code a member of something called registry looks the same.
    return !/\.[jt]s$/.test(file) && registry.test(textOf(file));
  }
});
