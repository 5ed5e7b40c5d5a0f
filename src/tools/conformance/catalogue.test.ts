import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { operationIds } from "../../contract/operations.ts";
import { allChecks } from "./run-conformance.ts";
import { sentences } from "./sentences.ts";

const squeezed = (text: string) => text.replace(/\s+/g, " ");
const behaviour = squeezed(readFileSync(new URL("../../../docs/reference/behaviour.md", import.meta.url), "utf8"));

test("every check has an id of its own, made of its group and a name", () => {
  const ids = allChecks().map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  expect(allChecks().filter(({ id, group }) => !id.startsWith(`${group}.`))).toEqual([]);
});

test("every endpoint has checks that are safe in production, and every one but the health has some", () => {
  const groups = allChecks()
    .filter(({ level }) => level === "read-only")
    .map(({ group }) => group);
  expect(operationIds.filter((id) => !groups.includes(id))).toEqual([]);
});

test("every quoted rule of behaviour stands in its documentation", () => {
  const rules = Object.values(sentences).filter(({ source }) => source === "behaviour");
  expect(rules.filter(({ text }) => !behaviour.includes(text))).toEqual([]);
  expect(rules.length).toBeGreaterThan(30);
});

test("every quoted sentence is what some check rests on", () => {
  const used = new Set(allChecks().map(({ basis }) => basis.text));
  expect(Object.values(sentences).filter(({ text }) => !used.has(text))).toEqual([]);
});
