import { expect, test } from "vitest";
import { configJsonSchema, configReference } from "./config-reference.ts";
import { configSchema } from "./config-schema.ts";
import { type ConfigShape, configShape } from "./config-shape.ts";

function members(shape: ConfigShape, prefix = ""): [path: string, owner: ConfigShape, member: ConfigShape][] {
  return Object.entries(shape.properties ?? {}).flatMap(([name, member]) => [
    [`${prefix}${name}`, shape, member],
    ...members(member.items ?? member, `${prefix}${name}${member.items === undefined ? "" : "[]"}.`),
  ]);
}
const all = members(configShape(configSchema));

test("every setting says what it is for", () => {
  expect(all.filter(([, , { description }]) => (description ?? "") === "").map(([path]) => path)).toEqual([]);
});

test("every setting outside a list has a default or may be absent, so that an empty file is a valid one", () => {
  const demanding = all.filter(
    ([path, owner, member]) =>
      !path.includes("[]") && member.default === undefined && owner.required?.includes(path.split(".").at(-1) ?? ""),
  );
  expect(demanding.map(([path]) => path)).toEqual([]);
});

test("the reference page names every setting", () => {
  const page = configReference();
  expect(all.filter(([path]) => !page.includes(`\`${path}\``)).map(([path]) => path)).toEqual([]);
});

test("the schema for editors requires only what has no default", () => {
  expect(configJsonSchema()).not.toHaveProperty("required");
  expect(configJsonSchema()).toHaveProperty("properties.exportColumns.items.required", ["key", "header", "value"]);
  expect(configJsonSchema()).toHaveProperty("properties.files.properties.profiles.items.required", ["name"]);
});
