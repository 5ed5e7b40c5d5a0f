import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { ConfigError } from "../document/config-error.ts";
import { loadConfig } from "../load-config.ts";

async function messageOf(config: object): Promise<string> {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "crossdock.yaml"), JSON.stringify(config));
  const error = await loadConfig({ env: {}, cwd }).catch((thrown: unknown) => thrown);
  return error instanceof ConfigError ? error.message : "";
}

const http = (options: object) => ({
  connectors: { erp: { type: "http", baseUrl: "https://erp.example.com", ...options } },
});
const order = { number: "No", dueDate: "Due" };
const lines = { each: "L", map: { itemNumber: "I", requestedAmount: "Q" } };

const places: readonly (readonly [string, (where: unknown) => object])[] = [
  ["files.profiles[0].where", (where) => ({ files: { profiles: [{ name: "own", header: ["S"], where }] } })],
  [
    "connectors.drop.in[0].where",
    (where) => ({ connectors: { drop: { type: "files", location: "/srv", in: [{ topic: "items", where }] } } }),
  ],
  [
    "connectors.erp.operations.listWorkOrders.where",
    (where) => http({ operations: { listWorkOrders: { path: "/o", where, map: { ...order, requests: lines } } } }),
  ],
  [
    "connectors.erp.poll[0].where",
    (where) => http({ poll: [{ topic: "items", path: "/i", where, map: { number: "No", name: "T" } }] }),
  ],
  [
    "connectors.erp.operations.listWorkOrders.map.requests.where",
    (where) =>
      http({ operations: { listWorkOrders: { path: "/o", map: { ...order, requests: { ...lines, where } } } } }),
  ],
];

test.each(places)(
  "a typing error in a condition of %s is refused with the word that was meant",
  async (path, config) => {
    expect(await messageOf(config({ S: { nott: "x" } }))).toMatch(
      new RegExp(`${literally(path)}.S.*[\\s\\S]*[Dd]id you mean not\\?`),
    );
    expect(await messageOf(config({ S: { not: "a", starts: "x" } }))).toMatch(/[Dd]id you mean startsWith\?/);
  },
);

test.each(places)("what is no condition of %s is refused with what is one", async (path, config) => {
  for (const condition of [{}, { not: {} }, { not: [] }, { filled: "yes" }, []]) {
    const message = await messageOf(config({ S: condition }));
    expect(message).toContain(`${path}.S`);
    expect(message).toMatch(/startsWith|filled|not/);
  }
  expect(await messageOf(config(5))).toContain(`${path}: `);
});

test.each(places)("every condition of %s that is described is accepted", async (_path, config) => {
  const conditions = {
    A: "x",
    B: 5,
    C: true,
    D: ["x", 5],
    E: { not: "x", filled: true },
    F: { startsWith: ["x", "y"] },
  };
  expect(await messageOf(config(conditions))).toBe("");
});

const literally = (text: string) => text.replace(/[[\].]/g, "\\$&");

test.each([
  ["errorText", { errorText: 5 }],
  ["errorText", { errorText: [] }],
  ["tryLaterWhen[0].status", { tryLaterWhen: [{ status: "503" }] }],
  ["tryLaterWhen[0].not", { tryLaterWhen: [{ path: "state", not: {} }] }],
  ["tryLaterWhen[0].not", { tryLaterWhen: [{ path: "state", not: [] }] }],
  ["tryLaterWhen[0].stats", { tryLaterWhen: [{ stats: 503 }] }],
  ["auth.lifetimeSeconds", { auth: { kind: "session", loginPath: "/l", lifetimeSeconds: true } }],
])("an option with several forms, %s, is refused in any other form: %j", async (path, options) => {
  expect(await messageOf(http(options))).toContain(`connectors.erp.${path}: `);
});
