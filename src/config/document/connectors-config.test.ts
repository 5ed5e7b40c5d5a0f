// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is what the settings themselves look like
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { moduleFile } from "../../../test/support/connectors/module-file.ts";
import { loadConfig } from "../load-config.ts";
import { ConfigError } from "./config-error.ts";

let cwd = "";
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "crossdock-config-"));
});
afterEach(() => rmSync(cwd, { recursive: true }));

async function load(lines: readonly string[], env: Record<string, string> = {}) {
  writeFileSync(join(cwd, "crossdock.yaml"), lines.join("\n"));
  return await loadConfig({ env, cwd });
}

async function messageOf(lines: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const error = await load(lines, env).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw new Error(`no ConfigError: ${String(error)}`);
  return error.message;
}

const hook = (url: string) => ["connectors:", "  hook:", "    type: webhook", `    url: ${url}`];

describe("names", () => {
  test("an unknown name is refused at its place in the file, with the nearest known name", async () => {
    const message = await messageOf([
      ...hook("https://erp.example.com"),
      "serve: { items: hok, images: embedded }",
      "events: { to: hok, by: { attachWorkOrder: none, changeStatus: huk }, limits: { hok: {} } }",
    ]);
    expect(message.match(/crossdock.yaml:\d+:\d+: [^:]+: there is no connector named "\w+"/g)).toEqual([
      'crossdock.yaml:5:17: serve.items: there is no connector named "hok"',
      'crossdock.yaml:6:15: events.to: there is no connector named "hok"',
      'crossdock.yaml:6:63: events.by.changeStatus: there is no connector named "huk"',
      'crossdock.yaml:6:85: events.limits.hok: there is no connector named "hok"',
    ]);
    expect(message).toContain("Did you mean hook? There are hook, embedded, none.");
  });

  test.each([
    ["embedded", "is a reserved name"],
    ["none", "is a reserved name"],
    ['"a\\nb"', "is not a valid name"],
  ])("no connector can be named %s", async (name, words) => {
    const lines = ["connectors:", `  ${name}: { type: webhook, url: "https://erp.example.com" }`];
    expect(await messageOf(lines)).toContain(words);
  });

  test("an event or a capability that is not there is refused with the nearest one", async () => {
    const message = await messageOf(["events: { by: { atachWorkOrder: none } }", "serve: { item: embedded }"]);
    expect(message).toMatch(/1:17: events.by.atachWorkOrder.*\n.*Did you mean attachWorkOrder/);
    expect(message).toMatch(/2:10: serve.item:.*\n.*Did you mean items/);
  });
});

describe("options", () => {
  test("null stays where it is a value: a condition without it would mean the opposite", async () => {
    const lines = (when: string) => [
      ...["connectors:", "  erp:", "    type: http", "    baseUrl: https://erp.example.com"],
      "    success: { jsonPath: error, equals: null }",
      "    tryLaterWhen: [{ path: lockedBy, not: null }, { path: state, in: [null, busy] }]",
      "    alreadyProcessedWhen: []",
      `    operations: { changeStatus: { path: /status, query:, when: ${when} } }`,
      "events: { to: erp }",
    ];
    const { config } = await load(lines("{ path: number }"));
    expect(config.connectors["erp"]).toMatchObject({
      success: { jsonPath: "error", equals: null },
      tryLaterWhen: [{ not: null }, { in: [null, "busy"] }],
      operations: { changeStatus: { path: "/status" } },
    });
    for (const test of ["equals: null", "not: null", "in: [null]", "not: [null]"]) {
      const message = await messageOf(lines(`{ path: number, ${test} }`));
      expect(message).toMatch(/8:\d+: connectors.erp.operations.changeStatus.when.\w+: null is never compared/);
    }
  });

  test("each connector's own schema names what is wrong, at its place, with the nearest option", async () => {
    const message = await messageOf([
      ...hook("https://erp.example.com"),
      "    secrts: []",
      "    timeouts: { connectMs: soon }",
      "  other: { type: webhok }",
    ]);
    expect(message).toMatch(/5:13: connectors.hook.secrts: there is no such option.*\n.*Did you mean secrets/);
    expect(message).toMatch(/6:28: connectors.hook.timeouts.connectMs: must be a/);
    expect(message).toMatch(
      /7:18: connectors.other.type: there is no connector of type "webhok".*\n.*Did you mean webhook/,
    );
  });

  test("a problem that the connector itself finds is reported with its line and column too", async () => {
    const lines = [
      "connectors:",
      "  mine:",
      "    type: module",
      "    path: ./mine.ts",
      "    options:",
      "      name: 5",
    ];
    expect(await messageOf(lines)).toMatch(/4:11: connectors.mine.path: there is no file .*mine.ts/);
    moduleFile(cwd, "");
    expect(await messageOf(lines)).toMatch(/6:13: connectors.mine.options.name: must be text/);
  });

  test("a path is relative to the folder of the configuration, wherever the program was started", async () => {
    const path = moduleFile(cwd, "");
    writeFileSync(join(cwd, "crossdock.yaml"), "connectors: { mine: { type: module, path: mine.ts } }");
    const { config } = await loadConfig({ file: join(cwd, "crossdock.yaml"), env: {}, cwd: "/" });
    expect(config.connectors["mine"]?.["path"]).toBe(path);
  });

  test("so are the folder of files and the file of SQLite, but no address and no path of a server", async () => {
    const lines = [
      "connectors:",
      "  near: { type: files, location: ./exchange }",
      "  far: { type: files, location: 'sftp://files.example.com/exchange', sftp: &login { username: me, password: x, host: h, hostKey: 'SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDYzLGcVFMpJwPQZ7s' } }",
      "  named: { type: files, location: exchange, sftp: *login }",
      "  base: { type: sql, driver: sqlite, file: erp.db }",
    ];
    writeFileSync(join(cwd, "crossdock.yaml"), lines.join("\n"));
    const { config } = await loadConfig({ file: join(cwd, "crossdock.yaml"), env: {}, cwd: "/" });
    const member = (name: string, option: string) => config.connectors[name]?.[option];
    expect(member("near", "location")).toBe(join(cwd, "exchange"));
    expect(member("far", "location")).toBe("sftp://files.example.com/exchange");
    expect(member("named", "location")).toBe("exchange");
    expect(member("base", "file")).toBe(join(cwd, "erp.db"));
  });

  test("a mistake of form does not hide mistakes in statements, requests and field rules", async () => {
    const message = await messageOf([
      "connectors:",
      "  erp:",
      "    type: http",
      "    baseUrl: ftp://erp.example.com",
      "    operations:",
      "      getItem: { path: '/items/{nummer}', map: { number: = (1 } }",
      "      getItme: { path: /items }",
    ]);
    expect(message).toMatch(/4:14: connectors.erp.baseUrl: "ftp:\/\/erp.example.com" is not an address/);
    expect(message).toMatch(/6:16: connectors.erp.operations.getItem: \{nummer\} has no value/);
    expect(message).toMatch(/6:58: connectors.erp.operations.getItem.map.number: Expected "\)"/);
    expect(message.match(/getItme/g)).toHaveLength(1);
  });

  test("field rules, names and folders of files, and the parts of an address are checked before anything is opened", async () => {
    const message = await messageOf([
      "connectors:",
      "  near:",
      "    type: files",
      "    location: exchange",
      "    in: [{ topic: items, folder: ../secret, groupBy: A }, { topic: items, map: { nmber: A } }]",
      "    out: { all: { name: same.json, map: { a: = ( } } }",
      "  far: { type: files, location: 'sftp://files.example.com' }",
      "  hook: { type: webhook, url: 'https://erp.example.com', refusals: [{ status: 409, result: Nope }] }",
    ]);
    expect(message).toMatch(/5:34: connectors.near.in\[0\].folder: the folder "..\/secret" lies outside/);
    expect(message).toMatch(/5:54: connectors.near.in\[0\].groupBy: `groupBy` needs a `map`/);
    expect(message).toMatch(/5:89: connectors.near.in\[1\].map.nmber: .*did you mean number/);
    expect(message).toMatch(/6:25: connectors.near.out.all.name: .*needs \{entryId\}/);
    expect(message).toMatch(/6:46: connectors.near.out.all.map.a: Expected/);
    expect(message).toMatch(/7:33: connectors.far.location: an sftp:\/\/ address needs `sftp`/);
    expect(message).toMatch(/8:92: connectors.hook.refusals\[0\].result: no event has the result Nope/);
  });

  test("a connector that is named for what it does not offer is refused at its line without being opened", async () => {
    const message = await messageOf([
      "connectors:",
      "  erp: { type: http, baseUrl: 'http://127.0.0.1:9', operations: { getItem: { path: '/i/{number}', map: { number: a } } } }",
      "  drop: { type: files, location: exchange, out: { changeStatus: {} } }",
      "serve: { workOrders: erp, items: erp, images: drop }",
      "events: { to: erp, by: { changeStatus: drop, confirmStep: drop } }",
    ]);
    expect(message).toMatch(/4:22: serve.workOrders: erp does not offer listWorkOrders\n.*It offers getItem\./);
    expect(message).toMatch(/4:47: serve.images: drop does not offer getItemImage\n.*It offers no answers\./);
    expect(message).toMatch(/5:15: events.to: erp accepts no events/);
    expect(message).toMatch(/5:59: events.by.confirmStep: drop does not accept this event\n.*It offers changeStatus\./);
    expect(message).not.toMatch(/serve.items|changeStatus: drop/);
  });
});

describe("secrets", () => {
  test("variables and files are filled in, numbers as numbers, and a doubled dollar sign is a dollar sign", async () => {
    writeFileSync(join(cwd, "token"), "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0\n");
    const { config } = await load(
      [
        ...hook("https://${HOST_NAME}/events/$${x}"),
        "    secrets: ['file:token']",
        "    headers: { Authorization: 'Bearer ${TOKEN}' }",
        "    timeouts: { connectMs: '${CONNECT_MS}' }",
      ],
      { HOST_NAME: "erp.example.com", TOKEN: "s3cret", CONNECT_MS: "1500" },
    );
    expect(config.connectors["hook"]).toMatchObject({
      url: "https://erp.example.com/events/${x}",
      secrets: ["whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"],
      headers: { Authorization: "Bearer s3cret" },
      timeouts: { connectMs: 1500 },
    });
  });

  test("a missing variable or file is refused at its place with what to do, all at once", async () => {
    const message = await messageOf([
      ...hook('"${ERP_URL}"'),
      "    secrets: [file:/nowhere/token]",
      "    headers: { A: '${', B: '${a b}' }",
    ]);
    expect(message).toMatch(/4:10: connectors.hook.url: the environment variable ERP_URL is not set\n {4}Set ERP_URL/);
    expect(message).toMatch(/5:15: connectors.hook.secrets\[0\]: the file cannot be read: ENOENT/);
    expect(message).toMatch(/6:19: connectors.hook.headers.A: \$\{ does not name an environment variable/);
    expect(message).toMatch(/6:28: connectors.hook.headers.B: \$\{a b\} does not name an environment variable/);
  });

  test("no error shows a value from the environment or a file", async () => {
    writeFileSync(join(cwd, "key"), "-----BEGIN KEY-----\nMIIBsecretline\n-----END KEY-----\n");
    const message = await messageOf(
      [
        ...hook('"${URL_WITH_PASSWORD}"'),
        "    timeouts: { connectMs: '${SHORT}', headersMs: file:key }",
        "    returnsUpdates: '${FLAG}'",
      ],
      { URL_WITH_PASSWORD: "ftp://joe:hunter2secret@erp", SHORT: "abc", FLAG: "hunter3secret" },
    );
    for (const secret of ["hunter2", "abc", "MIIB", "hunter3"]) expect(message).not.toContain(secret);
    expect(message).toMatch(/connectMs: must be a/);
  });

  const rest = (baseUrl: string, header = "none") => [
    ...["connectors:", "  erp:", "    type: http", `    baseUrl: "${baseUrl}"`, `    headers: { X-Key: "${header}" }`],
    ...["    operations:", "      attachWorkOrder: { path: /attach }"],
  ];

  test.each([
    ["${ERP}", { ERP: "https://erp.example.com/odoo/v1" }, "https://erp.example.com/odoo/v1"],
    ["${ERP}/api", { ERP: "http://127.0.0.1:9000" }, "http://127.0.0.1:9000/api"],
    [
      "https://${HOST_NAME}:${PORT_NUMBER}/x",
      { HOST_NAME: "erp.example.com", PORT_NUMBER: "8443" },
      "https://erp.example.com:8443/x",
    ],
  ])("a base address %s whose variables hold no secret is shown as it is", async (baseUrl, env, shown) => {
    const { redact } = await load(rest(baseUrl), env);
    expect(redact(`GET ${shown}/orders`)).toBe(`GET ${shown}/orders`);
  });

  test.each([
    ["${ERP}", { ERP: "https://joe:hunter2secret@erp.example.com" }],
    ["${ERP}", { ERP: "https://erp.example.com/bot123456:AAhunter2secretAAAAAAAA" }],
    ["https://erp.example.com/${TENANT}", { TENANT: "hunter2secret" }],
    ["https://joe:${PASSWORD}@erp.example.com", { PASSWORD: "hunter2secret" }],
  ])("of a base address %s with a secret the secret is never shown", async (baseUrl, env) => {
    const loaded = await load(rest(baseUrl), env).catch((error: unknown) => ({ redact: () => String(error) }));
    expect(loaded.redact(`GET ${Object.values(env)[0]}/orders`)).not.toContain("hunter2secret");
  });

  test("an address with a path that is no base address stays a secret, as that of a chat's webhook", async () => {
    const url = "https://chat.example.com/T1/B2/hunter2";
    const { redact } = await load(hook('"${CHAT}"'), { CHAT: url });
    expect(redact(`POST ${url}`)).toBe("POST ***");
  });

  test("an address that is also used as a secret elsewhere stays masked", async () => {
    const { redact } = await load(rest("${ERP}", "key ${ERP}"), { ERP: "https://erp.example.com" });
    expect(redact("GET https://erp.example.com/orders")).toBe("GET ***/orders");
  });

  test("texts that are found out later are cleaned of secrets too", async () => {
    const { redact, describe: place } = await load(hook('"https://erp.example.com/${TOKEN}"'), { TOKEN: "hunter2" });
    expect(redact('{"url":"https://erp.example.com/hunter2"}')).toBe('{"url":"https://erp.example.com/***"}');
    const [problem] = place([{ path: ["connectors", "hook"], text: "no route to hunter2" }]);
    expect(problem).toMatchObject({ line: 3, column: 5, text: "connectors.hook: no route to ***" });
  });
});

test.each([
  [
    "a result that is mapped",
    "http",
    { operations: { attachWorkOrder: { path: "/a", refusals: [{ status: 409, result: "ContainerAlreadyAttachd" }] } } },
    "ContainerAlreadyAttached",
  ],
  [
    "a result of every event",
    "http",
    { refusals: [{ status: 409, result: "ContainerAlreadyAttachd" }] },
    "ContainerAlreadyAttached",
  ],
  [
    "a result of a webhook",
    "webhook",
    { refusals: [{ status: 409, result: "ContainerAlreadyAttachd" }] },
    "ContainerAlreadyAttached",
  ],
  ["a topic of files", "files", { in: [{ topic: "workOrder" }] }, "workOrders"],
  ["a topic of a poll", "http", { poll: [{ topic: "item", path: "/i", map: { number: "n" } }] }, "items"],
])("a typing error in %s is refused with the word that was meant", async (_name, type, options, meant) => {
  const at = { http: { baseUrl: "https://erp.example.com" }, webhook: { url: "https://erp.example.com" } };
  const erp = {
    type,
    ...(type === "files" ? { location: "." } : at[type === "http" ? "http" : "webhook"]),
    ...options,
  };
  expect(await messageOf([JSON.stringify({ connectors: { erp } })])).toContain(`Did you mean ${meant}? `);
});

test("a typing error in a choice of the file itself is refused with the word that was meant", async () => {
  expect(await messageOf(["logLevel: inf"])).toContain("Did you mean info? ");
});

test("a placeholder in the address of a webhook is refused, because nothing is filled in there", async () => {
  const message = await messageOf(hook("https://erp.example.com/{workOrderNumber}"));
  expect(message).toContain("connectors.hook.url: every event goes to the same address");
  expect(message).toContain("use a connector of type http");
});

test.each([
  ["a connector", { connectors: { hook: { type: "webhook", url: "https://erp.example.com", secrts: [] } } }, "secrts"],
  ["a sender", { senders: { shop: { auth: { kind: "none" }, topcs: [] } } }, "topcs"],
  ["a login", { senders: { shop: { auth: { kind: "apiKey", key: "0123456789abcdef", headr: "X" } } } }, "headr"],
  [
    "a request",
    { platform: { forward: { items: { mode: "forward", request: { url: "https://p.example.com", methd: "PUT" } } } } },
    "methd",
  ],
  ["a map", { events: { limits: { erp: { concurency: 3 } } } }, "concurency"],
])("an unknown setting of %s is reported once", async (_name, config, setting) => {
  const lines = (await messageOf([JSON.stringify(config)]))
    .split("\n")
    .filter((line) => line.includes(`.${setting}: `));
  expect(lines).toHaveLength(1);
});
