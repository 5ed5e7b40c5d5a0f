// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is what the settings themselves look like
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { inOldSpelling } from "../../../test/support/old-spelling.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { loadConfig } from "../load-config.ts";
import { upgradeText } from "./upgrade-text.ts";

const root = resolve(import.meta.dirname, "../../..");
let folder = "";
beforeEach(() => {
  folder = temporaryFolder();
});
const load = async (text: string) => {
  const file = join(folder, "crossdock.yaml");
  writeFileSync(file, text);
  return (await loadConfig({ file, env: {}, cwd: folder, withoutSecrets: true })).config;
};

const oldFile = `# The shop's warehouse
orders:
  invalid: refuse   # all or nothing
files: { partial: true }
connectors:
  erp:
    type: http
    baseUrl: https://erp.example.com
    auth: # a technical user
      bearer: # for a year
        # from the vault
        token: "\${TOKEN}"
    poll:
      - topic: items
        path: /items
        page: { by: cursor, param: after, at: meta.next }
        since: { at: changed, param: since }
  sap:
    type: http
    baseUrl: https://sap.example.com
    auth:
      session:
        path: /Login
        token:
          at: data.token   # below data
          header: X-Session
        body: { user: u }
  shop: { type: http, baseUrl: "https://shop.example.com", auth: { apiKey: { value: "\${KEY}", query: k } } }
  drop: { type: files, at: /srv/exchange, in: [{ topic: stock, onBad: quarantine }] }
senders:
  office: { auth: { kind: basic, users: [{ user: office, password: "\${OFFICE}" }] } }
events: { by: { changeStatus: nobody } }
alarms:
  expiries:
    - { name: licence, at: 2027-01-31 }
`;

const newFile = `# The shop's warehouse
orders:
  badRecords: refuse   # all or nothing
files: { badRecords: quarantine }
connectors:
  erp:
    type: http
    baseUrl: https://erp.example.com
    auth: # a technical user
      kind: bearer # for a year
      # from the vault
      token: "\${TOKEN}"
    poll:
      - topic: items
        path: /items
        page: { by: cursor, param: after, path: meta.next }
        since: { path: changed, param: since }
  sap:
    type: http
    baseUrl: https://sap.example.com
    auth:
      kind: session
      loginPath: /Login
      tokenPath: data.token   # below data
      header: X-Session
      body: { user: u }
  shop: { type: http, baseUrl: "https://shop.example.com", auth: { kind: apiKey, key: "\${KEY}", query: k } }
  drop: { type: files, location: /srv/exchange, in: [{ topic: stock, badRecords: quarantine }] }
senders:
  office: { auth: { kind: basic, users: [{ username: office, password: "\${OFFICE}" }] } }
events: { by: { changeStatus: none } }
alarms:
  expiries:
    - { name: licence, lastDay: 2027-01-31 }
`;

test("an old file is rewritten in the new spelling, and every comment, blank and order stays", async () => {
  const { text, left } = upgradeText(oldFile);
  expect(text).toBe(newFile);
  expect(left).toEqual([]);
  await load(newFile);
});

test("a file in the new spelling is not touched", () => {
  expect(upgradeText(newFile)).toEqual({ text: newFile, found: [], left: [] });
});

test("an old spelling is refused at its place with the new one, together with every other mistake", async () => {
  const error = await load(`${oldFile}timeZone: Europe/Berln\n`).catch(String);
  expect(error).toContain("crossdock.yaml:3:3: orders.invalid: this is an old spelling");
  expect(error).toContain("Write badRecords: …, or let `crossdock config upgrade` rewrite the file.");
  expect(error).toContain("files.partial: this is an old spelling\n    Write badRecords: quarantine");
  expect(error).toContain("connectors.erp.auth.bearer: this is an old spelling\n    Write auth: { kind: bearer, … }");
  expect(error).toContain("timeZone: there is no time zone");
});

test("no refusal of an old spelling shows a secret", async () => {
  const error = await load(
    "connectors: { e: { type: http, baseUrl: 'https://e', auth: { apiKey: { value: hunter2 } } } }",
  ).catch(String);
  expect(error).toContain("auth.apiKey.value: this is an old spelling");
  expect(error).not.toContain("hunter2");
});

test("a value that several places refer to is rewritten once, where it is defined", async () => {
  const text = `connectors:
  one: { type: http, baseUrl: https://one.example.com, auth: &login { bearer: { token: t } } }
  two: { type: http, baseUrl: https://two.example.com, auth: *login }
  three: &drop { type: files, at: /srv/a }
  four: { <<: *drop, language: de }
`;
  const { text: upgraded, left } = upgradeText(text);
  expect(left).toEqual([]);
  expect(upgraded).toContain("auth: &login { kind: bearer, token: t }");
  expect((await load(upgraded)).connectors["four"]).toMatchObject({ location: "/srv/a", language: "de" });
});

test.each([
  ["two kinds side by side", "auth: { bearer: { token: t }, apiKey: { key: k } }"],
  ["a section with an anchor", "auth: { bearer: &b { token: t } }"],
  ["a section that is referred to", "auth: { bearer: *base }"],
])("%s is left to a person, with its place", (_name, auth) => {
  const text = `exportColumns: []\nvariables: &base { token: t }\nconnectors: { e: { type: http, ${auth} } }\n`;
  const { left } = upgradeText(text);
  expect(left[0]).toMatchObject({ line: 3, instead: expect.stringContaining("kind: bearer") });
});

const inAuth = (lines: string) =>
  `connectors:\n  e:\n    type: http\n    baseUrl: https://e.example.com\n    auth:\n${lines}`;

test.each([
  [
    "a comment behind a text in several lines, which would become part of the text",
    inAuth("      basic:\n        username: u\n        password: |-\n          p\n        # since January\n"),
  ],
  ["members as JSON, which a block cannot have", inAuth('      bearer: {"token":"t"}\n')],
  ["a kind with only a comment", inAuth("      session: # as before\n")],
  ["a name after a question mark", inAuth("      ? bearer\n      : token: t\n")],
  ["an empty section before others", "connectors: { e: { type: http, auth: { session: { token: {}, path: /L } } } }\n"],
  ["a value that other settings use too", "files: { partial: &yes true }\nconsole: { production: *yes }\n"],
  ["a value that is defined elsewhere", "console: { production: &yes true }\nfiles: { partial: *yes }\n"],
])("what cannot be rewritten without changing its meaning is left to a person: %s", (_name, text) => {
  const upgraded = upgradeText(text);
  expect(upgraded.left).not.toEqual([]);
  expect(() => parse(upgraded.text)).not.toThrow();
});

test("a file with the line ends of Windows means the same afterwards", async () => {
  const { text, left } = upgradeText(oldFile.replaceAll("\n", "\r\n"));
  expect(left).toEqual([]);
  expect(parse(text)).toEqual(parse(newFile));
});

test("a file that is JSON stays JSON", () => {
  const now = {
    files: { badRecords: "quarantine" },
    connectors: { e: { type: "http", auth: { kind: "basic", username: "u" } } },
  };
  const { text } = upgradeText(JSON.stringify(inOldSpelling(now), null, 2));
  expect(JSON.parse(text)).toEqual(now);
});

const configurations = [
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.startsWith("decisions"))
    .flatMap((name) =>
      [...readFileSync(join(root, "docs", name), "utf8").matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, it]) => it ?? ""),
    ),
  ...readdirSync(join(root, "examples"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("crossdock.yaml"))
    .map((name) => readFileSync(join(root, "examples", name), "utf8")),
];

test("every configuration of the documentation and the examples comes back whole from its old spelling", async () => {
  expect(configurations.length).toBeGreaterThan(20);
  for (const text of configurations) {
    const value: unknown = parse(text, { merge: true });
    const old = stringify(inOldSpelling(value), { aliasDuplicateObjects: false });
    const upgraded = upgradeText(old);
    expect(upgraded.left).toEqual([]);
    expect(parse(upgraded.text)).toEqual(value);
  }
});

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const secret = fc.stringMatching(/^[a-z]{16,20}$/);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const badRecords = optional(fc.constantFrom("quarantine", "refuse"));
const sentAuth = fc.oneof(
  fc.record({ kind: fc.constant("apiKey"), key: secret, header: optional(word) }),
  fc.record({ kind: fc.constant("bearer"), token: secret, prefix: optional(word) }),
  fc.record({ kind: fc.constant("basic"), username: word, password: secret }),
  fc.record({
    kind: fc.constant("oauth2"),
    tokenUrl: fc.constant("https://id.example.com/t"),
    clientId: word,
    clientSecret: secret,
  }),
  fc
    .record({
      kind: fc.constant("session"),
      loginPath: fc.constant("/login"),
      body: optional(fc.record({ user: word })),
      tokenPath: optional(word),
      header: optional(word),
    })
    .map(({ header, ...rest }) => ({ ...rest, header: rest.tokenPath === undefined ? undefined : header })),
);
const acceptedAuth = fc.oneof(
  fc.record({ kind: fc.constant("apiKey"), keys: fc.tuple(secret) }),
  fc.record({
    kind: fc.constant("basic"),
    users: fc.array(fc.record({ username: word, password: secret }), { minLength: 1, maxLength: 2 }),
  }),
);
const httpConnector = fc.record({
  type: fc.constant("http"),
  baseUrl: fc.constant("https://erp.example.com"),
  auth: optional(sentAuth),
  operations: optional(
    fc.record({
      listWorkOrders: fc.record({
        path: fc.constant("/o"),
        page: fc.record({ by: fc.constant("cursor"), param: word, path: word }),
      }),
    }),
  ),
  poll: optional(
    fc.tuple(
      fc.record({
        topic: fc.constant("items"),
        path: fc.constant("/i"),
        since: fc.record({ path: word, param: word }),
      }),
    ),
  ),
});
const filesConnector = fc.record({
  type: fc.constant("files"),
  location: fc.constant("/srv/exchange"),
  in: optional(fc.tuple(fc.record({ topic: fc.constant("stock"), badRecords }))),
});
const config = fc.record({
  orders: optional(fc.record({ badRecords })),
  files: optional(fc.record({ badRecords })),
  inbound: optional(fc.tuple(fc.record({ path: fc.constant("/hooks/a"), topic: fc.constant("stock"), badRecords }))),
  connectors: fc.record({ a: httpConnector, b: filesConnector }),
  senders: optional(fc.record({ shop: fc.record({ auth: acceptedAuth }) })),
  platform: optional(
    fc.record({
      auth: optional(acceptedAuth),
      forward: optional(
        fc.record({
          items: fc.record({ request: fc.record({ url: fc.constant("https://p.example.com/i"), auth: sentAuth }) }),
        }),
      ),
    }),
  ),
  events: optional(fc.record({ by: fc.record({ changeStatus: fc.constantFrom("none") }) })),
  alarms: optional(fc.record({ expiries: fc.tuple(fc.record({ name: word, lastDay: fc.constant("2027-01-31") })) })),
});

/** Writes YAML in a given style, with a comment behind every line that can have one. */
function written(
  value: unknown,
  { indent, flowFrom }: { indent: number; flowFrom: number },
): { text: string; comments: string[] } {
  const comments: string[] = [];
  const text = lines(value, 0)
    .map((line, index) => {
      comments.push(`# comment ${index}.`);
      return `${line}  # comment ${index}.`;
    })
    .join("\n");
  return { text: `${text}\n`, comments };

  function lines(node: unknown, depth: number): string[] {
    return Object.entries(node as object).flatMap(([name, member]: [string, unknown]) => {
      const pad = " ".repeat(indent * depth);
      const isSection =
        typeof member === "object" && member !== null && !Array.isArray(member) && Object.keys(member).length > 0;
      if (!isSection || depth >= flowFrom) return [`${pad}${name}: ${flow(member)}`];
      return [`${pad}${name}:`, ...lines(member, depth + 1)];
    });
  }
  function flow(node: unknown): string {
    if (Array.isArray(node)) return `[${node.map(flow).join(", ")}]`;
    if (typeof node !== "object" || node === null)
      return typeof node === "string" ? JSON.stringify(node) : String(node);
    return `{ ${Object.entries(node)
      .map(([name, member]) => `${name}: ${flow(member)}`)
      .join(", ")} }`;
  }
}

test("any old configuration, in any style, is upgraded to one that means the same, with all its comments", async () => {
  await fc.assert(
    fc.asyncProperty(
      config,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 6 }),
      async (given, indent, flowFrom) => {
        // Removes undefined members, which YAML would not write.
        const value: unknown = JSON.parse(JSON.stringify(given));
        const { text: old, comments } = written(inOldSpelling(value), { indent, flowFrom });
        const { text, left } = upgradeText(old);
        expect(left).toEqual([]);
        expect(parse(text)).toEqual(value);
        for (const comment of comments) expect(text).toContain(comment);
        expect(upgradeText(text).text).toBe(text);
        expect(await load(text)).toEqual(await load(stringify(value)));
      },
    ),
    { numRuns: 30 },
  );
});
