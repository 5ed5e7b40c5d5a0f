import { expect, test } from "vitest";
import { configDocument } from "./config-document.ts";
import { parseYaml, yamlLimits } from "./parse-yaml.ts";

const section = (count: number) => Array.from({ length: count }, (_, index) => `k${index}: v${index}`).join("\n");

test.each([
  ["a hundred thousand open brackets", "[".repeat(100_000), /more than 64 levels/],
  [
    "sections inside sections",
    Array.from({ length: 70 }, (_, level) => `${" ".repeat(level)}a:`).join("\n"),
    /64 levels/,
  ],
  ["lists inside lists", "- ".repeat(70), /64 levels/],
  ["very many names", section(yamlLimits.values + 1), /20000 members and list elements/],
  ["a very long list", `[${"1,".repeat(yamlLimits.values + 1)}]`, /20000 members and list elements/],
  ["very many aliases", `a: &a 1\nb: [${"*a,".repeat(yamlLimits.aliases + 1)}]`, /1000 uses of an anchor/],
  ["a text of more than a megabyte", `a: ${"x".repeat(yamlLimits.length)}`, /1048576 characters/],
])("%s: refused with a sentence that names the limit", (_what, text, sentence) => {
  expect(() => configDocument(text, "crossdock.yaml")).toThrow(sentence);
});

test("as many names as are allowed are read, and each has its position", () => {
  const document = configDocument(section(yamlLimits.values), "crossdock.yaml");
  expect(Object.keys(document.value as object)).toHaveLength(yamlLimits.values);
  expect(document.place([`k${yamlLimits.values - 1}`])).toMatchObject({ line: yamlLimits.values });
});

test("a name is compared with no other name: the errors of a section are found in one pass", () => {
  const twice = `${section(5_000)}\nk17: again\n"k18": again`;
  expect(parseYaml(twice).errors.map(({ code }) => code)).toEqual(["DUPLICATE_KEY", "DUPLICATE_KEY"]);
  expect(() => configDocument(twice, "crossdock.yaml")).toThrow(
    /:5001:1: k17 is defined twice.*:5002:1: k18 is defined twice/s,
  );
});

test("a second document is refused, and an empty text is nothing", () => {
  expect(() => configDocument("a: 1\n---\nb: 2\n", "crossdock.yaml")).toThrow(/more than one document/);
  expect(configDocument("", "crossdock.yaml").value).toBeNull();
});

test("only the first of thousands of mistakes are listed", () => {
  const mistakes = () => configDocument("a: @\n".repeat(5_000), "crossdock.yaml");
  expect(mistakes).toThrow(expect.objectContaining({ problems: expect.objectContaining({ length: 100 }) }));
});
