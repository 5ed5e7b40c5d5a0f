import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openContext } from "../../../test/support/connectors/open-context.ts";
import { connectors } from "../../connectors/catalogue.ts";
import { presets } from "../../presets/catalogue.ts";
import { offerOf } from "../../sdk/connector.ts";
import { definitionOf } from "./check-connectors.ts";

/** Nothing is read or written in this folder: opening the connector is enough. */
const folder = join(tmpdir(), "crossdock-offers");
const baseUrl = "http://127.0.0.1:9";
const statements = [{ sql: "SELECT 1" }];

/** Options of each type: once with as little as possible, once with some of everything. */
const cases: readonly (readonly [type: string, title: string, options: Record<string, unknown>])[] = [
  ["webhook", "any", { url: `${baseUrl}/events` }],
  ["http", "nothing", { baseUrl }],
  [
    "http",
    "a bit of everything",
    {
      baseUrl,
      operations: { listWorkOrders: { path: "/o" }, getItem: { path: "/i/{number}" }, confirmStep: { path: "/p" } },
      notices: { path: "/n" },
      poll: [{ topic: "items", path: "/items" }],
    },
  ],
  ...presets.map(({ name }) => {
    const auth = name === "business-central" ? { tokenUrl: `${baseUrl}/t`, clientId: "c", clientSecret: "s" } : {};
    return ["http", `preset ${name}`, { preset: name, baseUrl, auth }] as const;
  }),
  ["sql", "nothing", { driver: "sqlite", file: join(folder, "erp.db") }],
  [
    "sql",
    "a bit of everything",
    {
      ...{ driver: "sqlite", file: join(folder, "erp.db"), notices: { statements } },
      operations: { getItem: { sql: "SELECT :number AS number" }, changeStatus: { statements } },
      poll: [{ topic: "items", sql: "SELECT 1 AS number, 2 AS at WHERE 3 > :since", since: { column: "at" } }],
    },
  ],
  ["files", "nothing", { location: folder }],
  ["files", "one event and images", { location: folder, out: { confirmStep: {} }, images: {} }],
  ["files", "everything", { location: folder, in: [{ topic: "items" }], out: { all: {} } }],
];

test.each(cases)("what a %s connector says it offers is what it offers when it is open: %s", async (type, _, given) => {
  const definition = definitionOf(type);
  const options = definition?.complete?.(given) ?? given;
  const connector = await definition?.open(options, openContext());
  expect(connector).toBeDefined();
  if (connector === undefined) return;
  expect(await definition?.offers?.(options)).toEqual(offerOf(connector));
  await connector.close();
});

test("every type that can be configured says beforehand what it offers", () => {
  const types = connectors.filter((one) => !("projectionModule" in one)).map(({ type }) => type);
  // A customer's module may state its offer only when it is opened.
  expect(new Set([...cases.map(([type]) => type), "module"])).toEqual(new Set(types));
});
