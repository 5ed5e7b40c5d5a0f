import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { componentsOf, cycloneDx, licencesText } from "../../scripts/package/bill-of-materials.ts";
import type { Lock } from "../../scripts/package/production-modules.ts";

const root = resolve(import.meta.dirname, "../..");
// The shape of npm's own file.
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;
const components = componentsOf(lock, root);

/** Licences that allow to pass a library on inside a package, if their text goes with it. */
const allowed = new Set([
  "MIT",
  "ISC",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "BlueOak-1.0.0",
  "MIT-0",
  "Unlicense",
  "CC0-1.0",
  "Python-2.0",
]);

test("every library in a package has a licence that allows to pass it on", () => {
  expect(components.length).toBeGreaterThan(50);
  const names = (licence: string) => licence.split(/[()]| OR | AND /).flatMap((one) => one.trim() || []);
  expect(components.filter(({ licence }) => !names(licence).some((one) => allowed.has(one)))).toEqual([]);
});

test("the bill of materials names every library with version, licence and checksum, and is the same each time", () => {
  const made = () => cycloneDx({ version: "1.2.3", nodeVersion: "24.21.0", components });
  expect(made()).toBe(made());
  const bill = JSON.parse(made()) as {
    components: { name: string; purl?: string; hashes?: { content: string }[] }[];
    dependencies: { dependsOn: string[] }[];
  };
  expect(bill).toMatchObject({
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    metadata: { component: { name: "crossdock", version: "1.2.3" } },
  });
  const [node, ...libraries] = bill.components;
  expect(node).toMatchObject({ name: "node", version: "24.21.0" });
  expect(libraries).toHaveLength(components.length);
  expect(libraries.filter(({ hashes }) => !/^[0-9a-f]{128}$/.test(hashes?.[0]?.content ?? ""))).toEqual([]);
  expect(libraries.find(({ name }) => name === "@clack/prompts")?.purl).toMatch(/^pkg:npm\/%40clack\/prompts@\d/);
  const refs = bill.components.map((one) => ("bom-ref" in one ? one["bom-ref"] : null));
  expect(bill.dependencies[0]?.dependsOn).toEqual(refs);
});

test("the licences of all libraries go with a package, each text once", () => {
  const text = licencesText(components);
  for (const { name, version } of components) expect(text).toContain(`${name} ${version} (`);
  const apache = text.split("TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION").length - 1;
  expect(apache).toBeLessThan(components.filter(({ licence }) => licence === "Apache-2.0").length + 1);
});
