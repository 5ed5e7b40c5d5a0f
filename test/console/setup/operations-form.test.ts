import { expect, test } from "vitest";
import {
  type ConnectionForm,
  changesOf,
  isMissing,
  isWritten,
  knownConnection,
  startTexts,
} from "../../../console/parts/workshop/connection-form.ts";
import { kindFields } from "../../../console/parts/workshop/option-form.ts";
import { configValues } from "../../../src/app/console-tools/config-values.ts";
import { connectable } from "../../../src/app/console-tools/connectable.ts";
import type { ShownConfig } from "../../../src/server/workshop/config-editor.ts";

const file = `connectors:
  erp:
    type: http
    baseUrl: http://erp
    operations:
      listWorkOrders:
        path: /orders
        page: { kind: link }
        map: { number: id }
      getItem: { method: POST, path: "/items/{number}", headers: { a: b } }
`;
// Only the file counts for connectors.
const values = configValues(file, { connectors: {} } as never, (text) => text);
const shown: ShownConfig = { values } as never;
const fields = kindFields("http", connectable().kinds);
const known = knownConnection(shown, "erp");
const form = (texts: Record<string, string>): ConnectionForm => ({
  ...known,
  name: "erp",
  texts: { ...known.texts, ...texts },
});
const changes = (texts: Record<string, string>) =>
  changesOf(form(texts), { type: "http", presetName: null, fields, known });

test("each operation of the file is shown in its own fields, and what a field cannot show as YAML", () => {
  expect(known.texts).toMatchObject({
    "operations.listWorkOrders.path": "/orders",
    "operations.listWorkOrders.map": "number: id",
    "operations.listWorkOrders.page": "kind: link",
    "operations.getItem.method": "POST",
    "operations.getItem.headers": "a: b",
  });
  expect(changes({})).toEqual([]);
});

test("a field of an operation changes only that member of the file", () => {
  expect(changes({ "operations.listWorkOrders.path": "/open", "operations.getItem.headers": "a: c" })).toEqual([
    { path: ["connectors", "erp", "operations", "listWorkOrders", "path"], value: "/open" },
    { path: ["connectors", "erp", "operations", "getItem", "headers"], yaml: "a: c" },
  ]);
});

test("an operation without any text is taken out of the file as a whole", () => {
  const emptied = ["method", "path", "headers"].map((name) => [`operations.getItem.${name}`, ""]);
  expect(changes(Object.fromEntries(emptied))).toEqual([{ path: ["connectors", "erp", "operations", "getItem"] }]);
});

test("what an operation needs is missing only if something is written about it", () => {
  const operations = fields.filter(({ kind }) => kind === "operations");
  expect(operations.map(({ path }) => path)).toEqual([["operations"]]);
  const lacks = (texts: Record<string, string>) => operations.some((field) => isMissing(field, texts));
  expect(lacks({})).toBe(false);
  expect(lacks({ "operations.getItem.records": "data" })).toBe(true);
  expect(lacks({ "operations.getItem.records": "data", "operations.getItem.path": "/items" })).toBe(false);
});

test("a new connection over HTTP starts with one operation to be changed, and no other kind with any", () => {
  const operationsOf = (type: string) => {
    const own = kindFields(type, connectable().kinds);
    const texts = startTexts(own, { type, hasPreset: false, isReadOnly: false });
    const forms = own.flatMap(({ operations }) => operations);
    return forms.filter((one) => isWritten(one, texts)).map(({ name }) => name);
  };
  expect(["http", "files", "sql", "webhook", "module"].map(operationsOf)).toEqual([["listWorkOrders"], [], [], [], []]);
  expect(startTexts(fields, { type: "http", hasPreset: true, isReadOnly: false })).not.toHaveProperty([
    "operations.listWorkOrders.path",
  ]);
});
