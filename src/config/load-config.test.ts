// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is what the settings themselves look like
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { exampleConfig } from "./config-reference.ts";
import { ConfigError } from "./document/config-error.ts";
import { loadConfig } from "./load-config.ts";

let cwd = "";
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "crossdock-config-"));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const write = (text: string, name = "crossdock.yaml") => writeFileSync(join(cwd, name), text);

async function problemsOf(text: string, env: Record<string, string> = {}) {
  write(text);
  const error = await loadConfig({ env, cwd }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConfigError)) throw new Error(`no ConfigError: ${String(error)}`);
  return error;
}

test("a file in another encoding is refused, and its line named", async () => {
  writeFileSync(
    join(cwd, "crossdock.yaml"),
    Buffer.from("basePath: /a\nindexableValueLabel: St\xfcckzahl\n", "latin1"),
  );
  await expect(loadConfig({ env: {}, cwd })).rejects.toThrow(/crossdock\.yaml:2.*not in UTF-8/);
});

describe("without a file", () => {
  test("a person's key may come from the environment; a short or shared one in the file is refused", async () => {
    const load = async (users: object, env: Record<string, string> = {}) => {
      const cwd = temporaryFolder();
      writeFileSync(join(cwd, "crossdock.yaml"), JSON.stringify({ console: { users } }));
      return (await loadConfig({ env, cwd })).config.console.users;
    };
    const reference = ["$", "{", "KEY", "}"].join("");
    const key = "a-long-key-0123456789";
    const anna = { apiKey: reference, role: "admin" };
    expect(await load({ anna }, { KEY: key })).toEqual({ anna: { apiKey: key, role: "admin" } });
    await expect(load({ anna: { apiKey: "short", role: "viewer" } })).rejects.toThrow("less than 16 characters");
    const shared = { apiKey: key, role: "viewer" };
    await expect(load({ anna: shared, otto: shared })).rejects.toThrow("anna has the same key");
  });

  test("every setting has its default, and the sample warehouse is loaded", async () => {
    const { config, settings, source } = await loadConfig({ env: {}, cwd });
    expect(source).toBeNull();
    expect(config).toEqual({
      basePath: "",
      deployment: "default",
      storeHistoryDays: 7,
      timeZone: "UTC",
      timeOfDay: "00:00",
      validationMode: "envelope",
      bodyLimitMiB: 64,
      logLevel: "info",
      logging: { rooms: {}, personalData: "mask" },
      budgets: { eventMs: 300, stepMs: 1500, scanMs: 3000, listMs: 20_000 },
      orders: { badRecords: "quarantine", removedReceiptAfterMinutes: 720 },
      containers: {},
      files: { badRecords: "refuse", profiles: [] },
      connectors: {},
      serve: {
        unservedPushes: "take",
        freshness: {
          workOrdersMinutes: 480,
          codeLookupMinutes: 480,
          putWallMinutes: 480,
          itemsMinutes: 10_080,
          imagesMinutes: 43_200,
        },
      },
      events: { by: {}, concurrency: 8, limits: {}, modes: {}, repeatWindowMinutes: 15, timeoutMs: 15_000 },
      senders: {},
      inbound: [],
      trustProxy: [],
      platform: { forward: {}, openRoutes: ["status", "health", "docs"] },
      console: { users: {}, production: false, idleMinutes: 60, sessionHours: 12 },
      alarms: {
        workingHours: {
          days: ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
          from: "00:00",
          to: "24:00",
        },
        silence: [],
        stuckMinutes: 15,
        circuitOpenMinutes: 5,
        sourceFailingMinutes: 15,
        expiryDays: 14,
        expiries: [],
        clearAfterMinutes: 5,
        remindAfterHours: 24,
        off: [],
        language: "en",
      },
      retention: { bodiesDays: 30, entriesDays: 180 },
      exportColumns: [],
      indexableValueLabel: "",
    });
    expect(settings).toEqual({ port: 8080, host: "127.0.0.1", dataFolder: join(cwd, "data"), sample: true });
  });

  test("a file that is named but not there is an error", async () => {
    await expect(loadConfig({ env: { CROSSDOCK_CONFIG: "other.yaml" }, cwd })).rejects.toThrow(
      /other\.yaml: cannot be read: ENOENT[\s\S]*CROSSDOCK_CONFIG/,
    );
  });
});

describe("with a file", () => {
  test("a missing setting has its default, also in a section that is empty or incomplete", async () => {
    write("budgets:\n  stepMs: 900\norders:\n");
    const { config, settings, source } = await loadConfig({ env: {}, cwd });
    expect(source).toBe(join(cwd, "crossdock.yaml"));
    expect(config.budgets).toEqual({ eventMs: 300, stepMs: 900, scanMs: 3000, listMs: 20_000 });
    expect(config.orders).toEqual({ badRecords: "quarantine", removedReceiptAfterMinutes: 720 });
    expect(settings.sample).toBe(false);
  });

  test.each([
    ["an empty one", ""],
    ["one of comments", "# timeZone: Europe/Berlin\n"],
    ["JSON", '{ "timeZone": "Europe/Berlin" }'],
    ["one with a byte order mark", "\uFEFFtimeZone: Europe/Berlin\r\n"],
    ["the example of the documentation", exampleConfig],
  ])("%s is accepted", async (_, text) => {
    write(text, "given.yaml");
    await expect(loadConfig({ file: "given.yaml", env: {}, cwd })).resolves.toBeDefined();
  });

  test("all mistakes are named at once, each with its line, column and what to write", async () => {
    const { problems } = await problemsOf(
      ["timezone: Europe/Berlin", "budgets:", "  stepMs: fast", "logLevel: loud", "bodyLimitMiB: 9000"].join("\n"),
      { PORT: "eighty" },
    );
    expect(problems.map(({ source, line, column, text }) => [source, line, column, text])).toEqual([
      ["PORT", undefined, undefined, '"eighty" is not a port'],
      ["crossdock.yaml", 1, 1, "timezone: there is no such setting"],
      ["crossdock.yaml", 3, 11, 'budgets.stepMs: must be a whole number, not "fast"'],
      ["crossdock.yaml", 4, 11, 'logLevel: must be one of debug, info, warn, error, silent, not "loud"'],
      ["crossdock.yaml", 5, 15, "bodyLimitMiB: must be 512 or less, not 9000"],
    ]);
    expect(problems[1]?.hint).toContain("Did you mean timeZone?");
    expect(problems[2]?.hint).toBe("Step confirmations. From 10 to 120000. Default: 1500.");
  });

  test("mistakes that only a library finds are reported together with mistakes of form", async () => {
    const { problems } = await problemsOf(
      [
        "timeZone: Europe/Berln",
        "timeOfDay: 25:00",
        "containers: { pattern: '(' }",
        "exportColumns:",
        "  - { key: a, value: '$sum(' }",
        "  - { key: a, header: B, value: '' }",
        "  - { key: __proto__, header: C, value: externalData.x }",
        "  - no column",
        "files:",
        "  profiles:",
        "    - { name: x, colums: { Beleg: number } }",
        "    - { name: x, columns: { Beleg: numbr, Datum: 5 } }",
        "    - { name: y, header: 5 }",
        "    - { name: z, columns: number }",
      ].join("\n"),
      { PORT: "eighty" },
    );
    expect(problems.map(({ line = 0, text }) => `${line} ${text.split(": ")[0]}`)).toEqual([
      '0 "eighty" is not a port',
      "1 timeZone",
      "2 timeOfDay",
      "3 containers.pattern",
      "5 exportColumns[0].header",
      "5 exportColumns[0].value",
      "6 exportColumns[1].key",
      "6 exportColumns[1].value",
      "7 exportColumns[2].key",
      "8 exportColumns[3]",
      "11 files.profiles[0].colums",
      "12 files.profiles[1].name",
      "12 files.profiles[1].columns.Beleg",
      "12 files.profiles[1].columns.Datum",
      "13 files.profiles[2].header",
      "14 files.profiles[3].columns",
    ]);
  });

  test.each([
    ["/wms/", "/wms"],
    ["/a/b//", "/a/b"],
    ["/", ""],
    ["/wms", "/wms"],
  ])("the base path %s is %j: a slash at its end is dropped", async (given, basePath) => {
    write(`basePath: ${given}`);
    expect((await loadConfig({ env: {}, cwd })).config.basePath).toBe(basePath);
  });

  test("the error reads like a compiler's", async () => {
    const { message } = await problemsOf("exportColumns:\n  - key: a\n    headr: A\n    value: externalData.a\n");
    expect(message.split("\n")).toEqual([
      "crossdock.yaml:2:5: exportColumns[0].header: is missing; please add it",
      "    Heading in the selection list and in the exported file.",
      "crossdock.yaml:3:5: exportColumns[0].headr: there is no such setting",
      "    Did you mean header? Known here: key, header, value.",
    ]);
  });

  test.each([
    ["timeZone: Europe/Berln", "1:11", "Use an IANA name such as Europe/Berlin."],
    ["timeOfDay: 25:00", "1:12", "does not have the required format"],
    ["basePath: adapter/", "1:11", '"adapter/" does not have the required format'],
    ["containers:\n  pattern: (?=x)", "2:12", "RE2 syntax"],
    ["exportColumns:\n  - { key: a, header: A, value: '$sum(' }", "2:33", "the expression cannot be used"],
    [
      "exportColumns:\n  - { key: a, header: A, value: customer.name }",
      "2:33",
      "it reads none of externalData, deliveryNote, deliveryAddress, order",
    ],
    ["exportColumns:\n  - { key: a, header: A, value: order.numbr }", "2:33", "did you mean number?"],
    ["exportColumns:\n  - { key: a, header: A, value: order.externalDta.x }", "2:33", "did you mean externalData?"],
    ["exportColumns:\n  - { key: a, header: A, value: order.requests.itemNumbr }", "2:33", "did you mean itemNumber?"],
    [
      "exportColumns:\n  - { key: a, header: A, value: '$join(order.requests[itemNumbr].lotNumber)' }",
      "2:33",
      "did you mean itemNumber?",
    ],
    ["exportColumns:\n  - { key: a, header: A, value: order.number.x }", "2:33", "is a single value"],
    [
      "exportColumns:\n  - { key: a, header: A, value: externalDta.a & order.number }",
      "2:33",
      "did you mean externalData?",
    ],
    [
      "exportColumns:\n  - { key: a, header: A, value: x }\n  - { key: a, header: B, value: x }",
      "3:12",
      '"a" is used twice',
    ],
    ["files:\n  profiles:\n    - name: x\n      columns: { Beleg: numbr }", "4:25", "Did you mean number?"],
    ["files:\n  profiles:\n    - name: x\n      columns: {}", "3:7", "this profile matches no file"],
    ["- a list", "1:1", "the file: must be a JSON object"],
    ["a: 1\na: 2", "2:1", "a is defined twice"],
    ["a: [1", "1:6", "not valid YAML"],
  ])("%j is refused at %s", async (text, place, words) => {
    const { message } = await problemsOf(text);
    expect(message).toContain(`crossdock.yaml:${place}: `);
    expect(message).toContain(words);
  });

  test.each([
    "console:\n  users:\n    Jo: { apiKey: 1234567890123456, role: viewer }\n",
    "store: postgres//u:1234567890123456@host/database\n",
    "connectors:\n  erp: { type: sql, driver: postgres, password: 1234567890123456 }\n",
    "senders:\n  shop: { auth: { kind: apiKey, key: x, secrets: [1234567890123456] } }\n",
  ])("the value of a secret is not in the message: %j", async (text) => {
    const { message } = await problemsOf(text);
    expect(message).toContain("crossdock.yaml:");
    expect(message).not.toContain("1234567890123456");
  });

  test("bodies are kept as long as events are known again by them", async () => {
    const { problems } = await problemsOf("retention:\n  bodiesDays: 3\n");
    expect(problems.map(({ text }) => text)).toEqual(["retention.bodiesDays: must be 7 or more, not 3"]);
  });

  test("a merge key brings in the members that it names, and members beside it have precedence", async () => {
    write("files:\n  profiles:\n    - &one { name: one, columns: { Beleg: number } }\n    - { <<: *one, name: two }");
    const { config } = await loadConfig({ env: {}, cwd });
    expect(config.files?.profiles).toMatchObject([
      { name: "one", columns: { Beleg: "number" } },
      { name: "two", columns: { Beleg: "number" } },
    ]);
  });

  test.each([
    ["{ <<: *one, colums: {} }", "4:19", "profiles[1].colums: there is no such setting"],
    ["{ <<: *one, name: [] }", "4:25", "profiles[1].name: must be"],
    ["{ <<: [*one] }", "3:43", "profiles[1].columns.Beleg"],
    ["*one", "3:43", "profiles[1].columns.Beleg"],
    ["{ '<<': *one, name: two }", "4:9", "profiles[1].<<: there is no such setting"],
  ])("a mistake in %s is shown where it is written", async (second, place, words) => {
    const first = "files:\n  profiles:\n    - &one { name: one, columns: { Beleg: numbr } }";
    const { message } = await problemsOf(`${first}\n    - ${second}`);
    expect(message.split("\n").filter((line) => line.includes(words))).toEqual([
      expect.stringContaining(`crossdock.yaml:${place}: `),
    ]);
  });

  test("a file that unfolds to gigabytes is refused", async () => {
    const levels = Array.from({ length: 12 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i}, `.repeat(9)}*l${i}]`);
    write(["l0: &l0 [x, x]", ...levels].join("\n"));
    await expect(loadConfig({ env: {}, cwd })).rejects.toThrow(/crossdock.yaml: .*alias/i);
    const merged = Array.from({ length: 22 }, (_, i) => `l${i + 1}: &l${i + 1} {a: {<<: *l${i}}, b: {<<: *l${i}}}`);
    write(["l0: &l0 {x: 1}", ...merged].join("\n"));
    await expect(loadConfig({ env: {}, cwd })).rejects.toThrow(/crossdock.yaml: .*alias/i);
  });
});

describe("the environment", () => {
  test("decides where the instance runs; an empty variable counts as not set", async () => {
    const env = {
      PORT: "0",
      HOST: "0.0.0.0",
      CROSSDOCK_DATA_DIR: "/var/lib/x",
      CROSSDOCK_API_KEY: "k",
      CROSSDOCK_SAMPLE: "",
    };
    const { settings } = await loadConfig({ env, cwd });
    expect(settings).toEqual({ port: 0, host: "0.0.0.0", dataFolder: "/var/lib/x", apiKey: "k", sample: true });
  });

  test.each([
    ["PORT", "-1"],
    ["PORT", "70000"],
    ["PORT", "80.5"],
    ["HOST", "http://localhost"],
    ["CROSSDOCK_SAMPLE", "perhaps"],
    ["CROSSDOCK_API_KEY", "schlüssel"],
  ])("%s=%s is refused with what is expected", async (name, value) => {
    const error = await loadConfig({ env: { [name]: value }, cwd }).catch((thrown: unknown) => thrown);
    if (!(error instanceof ConfigError)) throw new Error("accepted");
    expect(error.problems).toHaveLength(1);
    expect(error.problems[0]).toMatchObject({ source: name, hint: expect.stringMatching(/\w/) });
    if (name === "CROSSDOCK_API_KEY") expect(error.message).not.toContain(value);
  });

  test("options have precedence over variables, and a mistake is reported where it was made", async () => {
    const env = { PORT: "9", HOST: "0.0.0.0" };
    const { settings } = await loadConfig({ env, cwd, options: { port: "0", host: undefined, data: "here" } });
    expect(settings).toMatchObject({ port: 0, host: "0.0.0.0", dataFolder: join(cwd, "here") });
    const wrong = loadConfig({ env: { ...env, HOST: "a b" }, cwd, options: { port: "abc" } });
    await expect(wrong).rejects.toThrow(/^--port: "abc" is not a port\n.*\nHOST: "a b" is not an address/);
  });
});

describe("the address of the store", () => {
  test("may come from a variable or a file, and its password is never shown", async () => {
    write('store: "${STORE}"');
    const { config, redact } = await loadConfig({ env: { STORE: "postgres://joe:hunter2@db/x" }, cwd });
    expect(config.store).toBe("postgres://joe:hunter2@db/x");
    expect(redact("no route to postgres://joe:hunter2@db/x")).toBe("no route to ***");
    write('store: "postgres://joe:${PASSWORD}@db/x"');
    expect((await loadConfig({ env: { PASSWORD: "hunter2" }, cwd })).config.store).toBe("postgres://joe:hunter2@db/x");
  });

  test("that is missing is reported as the missing variable, and not as one of the wrong form", async () => {
    const { message } = await problemsOf('store: "${STORE}"');
    expect(message).toContain("store: the environment variable STORE is not set");
    expect(message.match(/crossdock.yaml:/g)).toHaveLength(1);
    await expect(loadConfig({ env: {}, cwd, withoutSecrets: true })).resolves.toMatchObject({ config: {} });
  });

  test("of the wrong form is reported without its value", async () => {
    write('store: "${STORE}"');
    const error = await loadConfig({ env: { STORE: "mysql://joe:hunter2@db/x" }, cwd }).catch(String);
    expect(error).toMatch(/store: /);
    expect(error).not.toContain("hunter2");
  });
});

test("a file .env beside the configuration or in the current folder provides variables that the process does not have", async () => {
  const folder = temporaryFolder();
  const other = temporaryFolder();
  const url = "https://erp.example.com/${PART}";
  writeFileSync(
    join(folder, "crossdock.yaml"),
    `connectors: { erp: { type: webhook, url: "${url}" } }\nevents: { to: erp }`,
  );
  writeFileSync(join(folder, ".env"), "# where\nPART='of the configuration'\nPORT=9001\n");
  writeFileSync(join(other, ".env"), "PORT=9002");
  const load = (env: Record<string, string>) => loadConfig({ file: join(folder, "crossdock.yaml"), env, cwd: other });
  const { config, settings } = await load({});
  expect(config.connectors["erp"]?.["url"]).toBe("https://erp.example.com/of the configuration");
  expect(settings.port).toBe(9002);
  expect((await load({ PORT: "9003", PART: "x" })).settings.port).toBe(9003);
});

test("a check of the file alone needs no secrets, and still finds every other mistake", async () => {
  const folder = temporaryFolder();
  const write = (more: string) =>
    writeFileSync(
      join(folder, "crossdock.yaml"),
      `connectors: { erp: { type: http, baseUrl: "\${ERP_URL}", auth: { kind: bearer, token: "file:./token" }${more} } }\n` +
        "senders: { shop: { auth: { kind: apiKey, keys: ['${SHOP_KEY}'] } } }",
    );
  const load = () => loadConfig({ env: {}, cwd: folder, withoutSecrets: true });
  write("");
  await expect(loadConfig({ env: {}, cwd: folder })).rejects.toThrow(
    /variable ERP_URL is not set.*token.*variable SHOP_KEY is not set/s,
  );
  expect((await load()).config.connectors["erp"]).toMatchObject({ type: "http" });
  write(", oprations: {}");
  await expect(load()).rejects.toThrow(/there is no such option/);
});

test.each([
  [
    "a name given twice is named",
    "timeZone: UTC\nserve: {}\ntimeZone: UTC\n",
    /crossdock\.yaml:3:1: timeZone is defined twice/,
  ],
  [
    "a quote that is never closed is shown where it begins",
    'timeZone: UTC\nbasePath: "/x\nserve: {}\n',
    /crossdock\.yaml:2:11: .*never closed/,
  ],
  [
    "an unknown anchor is named with its line",
    "a: &order {}\nserve: *ordr\n",
    /crossdock\.yaml:2:8: .*&ordr\n.*\n.*\n.*Did you mean order\?/,
  ],
  ["a mark stands below the place", "orders: {}\norders: {}\n", /\n {4}orders: \{\}\n {4}\^/],
  ["a city by its own name leads to its zone", "timeZone: Europe/Wien", /Europe\/Vienna/],
  ["what people call a system leads to its type", "connectors: { erp: { type: rest } }", /Did you mean http\?/],
  [
    "an address without its beginning is completed",
    "connectors: { erp: { type: http, baseUrl: 'erp.example.com:8080/api' } }",
    /is not an address\n.*https:\/\/erp\.example\.com:8080\/api/,
  ],
])("%s", async (_title, text, words) => {
  expect((await problemsOf(text)).message).toMatch(words);
});

test("a line that may hold a secret is not shown again", async () => {
  expect((await problemsOf('password: "hunter2\n')).message).not.toContain("hunter2");
});

test("the line for editors (`$schema`) is not a setting", async () => {
  write("$schema: ./docs/reference/crossdock.schema.json\ntimeZone: Europe/Berlin");
  expect((await loadConfig({ env: {}, cwd })).config.timeZone).toBe("Europe/Berlin");
});
