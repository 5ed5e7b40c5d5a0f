import { expect, test } from "vitest";
import { yamlText } from "../../../console/parts/workshop/yaml-text.ts";
import { parseYaml } from "../../../src/config/document/parse-yaml.ts";

const read = (text: string): unknown => parseYaml(text).toJS();

test("a section of the file is shown as people write it", () => {
  expect(yamlText({ number: "id", requests: { each: "lines", map: { itemNumber: "item no" } } })).toBe(
    "number: id\nrequests:\n  each: lines\n  map:\n    itemNumber: item no",
  );
  expect(yamlText([{ topic: "workOrders", folder: "in" }, 7])).toBe("- topic: workOrders\n  folder: in\n- 7");
});

test("whatever is shown as YAML is read as the same value again", () => {
  const texts = [
    "",
    " ",
    "yes",
    "No",
    "null",
    "~",
    "1",
    "1e3",
    "0x1F",
    "-",
    "- a",
    "a: b",
    "a #b",
    "# a",
    "'",
    '"',
    "a\nb",
  ];
  const more = [
    `\${TOKEN}`,
    "= a & b",
    "{code}",
    "[a]",
    "*a",
    "&a",
    "!a",
    "%a",
    "@a",
    "`a`",
    "2026-01-05",
    "a:",
    "?",
    "é",
    "a ",
    "$x",
  ];
  for (const text of [...texts, ...more]) {
    expect(read(yamlText({ [text]: text }))).toEqual({ [text]: text });
    expect(read(yamlText([text, [text, { a: text }]]))).toEqual([text, [text, { a: text }]]);
  }
  for (const value of [{}, [], null, true, 1.5, -0.1, { a: {}, b: [], c: [[1], {}, null] }, [[], [[2]]]]) {
    expect(read(yamlText({ value }))).toEqual({ value });
  }
});
