import fc from "fast-check";
import { expect, test } from "vitest";
import { validSamples } from "../derive/samples.ts";
import { operationIds, operationRow } from "../operations.ts";
import { canonicalNames } from "./canonical-names.ts";

const rowsWithBody = operationIds.flatMap((id) => {
  const { body } = operationRow(id);
  return body === undefined ? [] : [{ id, body }];
});

const otherCases: readonly ((name: string) => string)[] = [
  (name) => name.toUpperCase(),
  (name) => name.toLowerCase(),
  (name) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
];

test.each(rowsWithBody)("$id reads members in any letter case", ({ id, body }) => {
  const rename = canonicalNames(body);
  for (const sample of validSamples(id).filter(({ name }) => name === "full" || name === "with nulls")) {
    for (const otherCase of otherCases) {
      // Keys of maps are data, not member names: item numbers keep their letter case.
      const respelled = respell(sample.body, (name) => (/^[A-Za-z_]+$/.test(name) ? otherCase(name) : name));
      expect(plain(rename(respelled))).toEqual(sample.body);
    }
  }
});

test.each(rowsWithBody)("renaming the members of $id twice is renaming them once", ({ id, body }) => {
  const rename = canonicalNames(body);
  const names = [...new Set(namesIn(validSamples(id).map((sample) => sample.body)))];
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie("tree"), { maxLength: 3 }),
      tie("object"),
    ),
    object: fc.dictionary(fc.oneof(fc.mixedCase(fc.constantFrom(...names)), fc.string()), tie("tree"), { maxKeys: 5 }),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const once = plain(rename(plain(value)));
      expect(plain(rename(plain(once)))).toEqual(once);
    }),
    { numRuns: 200 },
  );
});

test("a value in the documented spelling is not copied", () => {
  const rename = canonicalNames(operationRow("attachWorkOrder").body ?? {});
  const body = { workOrderNumber: "WO-1", containerCode: "C", more: 1 };
  expect(rename(body)).toBe(body);
});

test("unknown members are kept as they came", () => {
  const rename = canonicalNames(operationRow("attachWorkOrder").body ?? {});
  const unknown = fc.dictionary(
    fc
      .string()
      .filter((name) => !["workordernumber", "containercode", "isabandonedorcancelled"].includes(name.toLowerCase())),
    fc.jsonValue(),
    { noNullPrototype: false },
  );
  fc.assert(
    fc.property(unknown, (members) => {
      // Written and parsed again like a body, because that is how a member named __proto__ can arise.
      const body = JSON.parse(JSON.stringify({ ...members, WORKORDERNUMBER: "WO-1" }));
      expect(plain(rename(body))).toEqual(plain({ ...members, workOrderNumber: "WO-1" }));
    }),
  );
});

test("of two spellings the documented one wins and the other stays", () => {
  const rename = canonicalNames(operationRow("cancelPutWallItem").body ?? {});
  const renamed = rename({ ITEMNUMBER: "other", itemNumber: "right", WorkOrderNumber: "WO-1" });
  expect(plain(renamed)).toEqual({ ITEMNUMBER: "other", itemNumber: "right", workOrderNumber: "WO-1" });
});

test("a member named __proto__ stays a member and changes no prototype", () => {
  const rename = canonicalNames(operationRow("attachWorkOrder").body ?? {});
  const renamed = rename(JSON.parse('{"__proto__":{"polluted":true},"WORKORDERNUMBER":"WO-1","constructor":1}'));
  const value = Object(renamed) as Record<string, unknown>;
  expect(Object.hasOwn(value, "__proto__")).toBe(true);
  expect(value["polluted"]).toBeUndefined();
  expect(JSON.stringify(renamed)).toBe('{"__proto__":{"polluted":true},"workOrderNumber":"WO-1","constructor":1}');
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

function respell(value: unknown, change: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((element) => respell(element, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [change(name), respell(inner, change)]));
}

function namesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(namesIn)];
}

// Renamed objects have no prototype. Only what would be written is compared.
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
