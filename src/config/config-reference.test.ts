import { expect, test } from "vitest";
import { connectors } from "../connectors/catalogue.ts";
import { configJsonSchema } from "./config-json-schema.ts";
import { configReference } from "./config-reference.ts";
import { configSchema } from "./config-schema.ts";
import { type ConfigShape, configShape } from "./document/config-shape.ts";

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
      !path.includes("[]") &&
      !isInAbsentSection(path) &&
      member.default === undefined &&
      owner.required?.includes(path.split(".").at(-1) ?? ""),
  );
  expect(demanding.map(([path]) => path)).toEqual([]);
});

/** Whether the member belongs to a section that exists only if somebody has written it. */
const isInAbsentSection = (path: string) =>
  all.some(([owner, , member]) => path.startsWith(`${owner}.`) && member.default === undefined);

test("the reference page names every setting", () => {
  const page = configReference();
  expect(all.filter(([path]) => !page.includes(`\`${path}\``)).map(([path]) => path)).toEqual([]);
});

test("editors know the options of every connector by its type, and the page lists them", () => {
  const schema = configJsonSchema() as {
    properties: { connectors: { additionalProperties: { oneOf: ConfigShape[] } } };
  };
  const known = schema.properties.connectors.additionalProperties.oneOf.map(({ properties }) => ({
    type: (properties?.["type"] as { const?: string } | undefined)?.const,
    names: Object.keys(properties ?? {}),
  }));
  const configurable = connectors.filter((definition) => !("projectionModule" in definition));
  expect(known).toEqual(
    configurable.map(({ type, options }) => ({
      type,
      names: ["type", ...Object.keys(configShape(options).properties ?? {})],
    })),
  );
  const page = configReference();
  for (const { type, names } of known) {
    expect(page).toContain(`### ${type}\n`);
    expect(names.slice(1).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  }
});

test("the schema for editors requires only what has no default", () => {
  expect(configJsonSchema()).not.toHaveProperty("required");
  expect(configJsonSchema()).toHaveProperty("properties.exportColumns.items.required", ["key", "header", "value"]);
  expect(configJsonSchema()).toHaveProperty("properties.files.properties.profiles.items.required", ["name"]);
});
