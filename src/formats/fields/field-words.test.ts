import { expect, test } from "vitest";
import { UnitOfMeasure } from "../../contract/enums.ts";
import { itemSchema, requestLineSchema, workOrderSchema } from "../../contract/schemas/work-order.ts";
import { flatFields } from "../../mapping/documents/csv-records.ts";
import { type Language, languages } from "../../messages/languages.ts";
import { localise } from "../../messages/localise.ts";
import { say } from "../../messages/message.ts";
import { fieldNames } from "../../messages/texts/place-in-file.ts";
import type { Field } from "../csv/map-columns.ts";
import { foldName, requestTypeNames, unitNames } from "./enum-names.ts";
import { itemFields } from "./item-fields.ts";
import { orderFields } from "./order-fields.ts";

const subjects = [
  {
    name: "order",
    fields: orderFields,
    properties: { ...workOrderSchema.properties, ...requestLineSchema.properties },
  },
  { name: "item", fields: itemFields, properties: itemSchema.properties },
];

test.each(subjects)("every field of the contract can be a column of an $name file", ({ fields, properties }) => {
  const names = Object.keys(properties).filter((name) => name !== "requests");
  expect(fields.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
});

test("a missing required field is named by a heading that would be recognised", () => {
  const fields = [...orderFields, ...itemFields, ...Object.values(flatFields).flat()];
  for (const { name } of fields.filter(({ required }) => required === true)) {
    expect(Object.keys(fieldNames)).toContain(name);
  }
  const isHeading = (name: string, text: string, language: Language) =>
    fields.some(
      (field) => field.name === name && (field.headers[language] ?? []).map(foldName).includes(foldName(text)),
    );
  for (const [name, texts] of Object.entries(fieldNames)) {
    // `number` is both the order's and the item's number, so it is skipped.
    if (name === "number" || name === "value") continue;
    for (const language of languages) expect(isHeading(name, texts[language], language), texts[language]).toBe(true);
  }
});

test.each(subjects)("no header over an $name file means two fields", ({ fields }) => {
  const meanings = new Map<string, Set<string>>();
  const add = (header: string, field: Field) => {
    const folded = foldName(header);
    meanings.set(folded, (meanings.get(folded) ?? new Set()).add(field.name));
  };
  for (const field of fields) {
    add(field.name, field);
    for (const header of Object.values(field.headers).flat()) add(header, field);
  }
  expect([...meanings].filter(([, names]) => names.size > 1).map(([header, names]) => [header, ...names])).toEqual([]);
});

test.each(subjects)("the required columns of an $name file have words in every language", ({ fields }) => {
  for (const field of fields.filter(({ required }) => required)) {
    expect(languages.filter((language) => (field.headers[language] ?? []).length === 0)).toEqual([]);
  }
});

test.each([
  ["Fälligkeits-Datum", "FAELLIGKEITSDATUM"],
  ["Straße", "STRASSE"],
  ["N° de commande", "n de commande"],
  ["ilość", "ILOSC"],
  ["m²", "m2"],
])("%s and %s are one header", (one, other) => {
  expect(foldName(one)).toBe(foldName(other));
});

test.each(languages)("the values that a refused cell is shown in %s are read as what is said of them", (language) => {
  const shown = (detail: string) => {
    const text = localise(
      say("files.cell.one-of", { row: 2, column: "x", value: "y", literal: "_absent", detail }),
      language,
    );
    return text.slice(text.lastIndexOf(":") + 1);
  };
  const types = [...shown("requestType").matchAll(/([\p{L}]+) \((\d)\)/gu)];
  expect(types.map(([, word = "", number]) => [requestTypeNames.get(foldName(word)), number])).toEqual([
    [1, "1"],
    [2, "2"],
    [0, "0"],
  ]);
  const [units = ""] = shown("unit").split("…");
  const values = units.split(",").map((word) => unitNames.get(foldName(word)));
  expect(values).toEqual([UnitOfMeasure.Piece, UnitOfMeasure.Meter, UnitOfMeasure.Kilogram, UnitOfMeasure.Liter]);
});
