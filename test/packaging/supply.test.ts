import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { missingProgram } from "../../chaos/harness/disks/tools.ts";
import { componentsOf, cycloneDx, licencesText } from "../../scripts/package/bill-of-materials.ts";
import { judgeAudit } from "../../scripts/package/judge-audit.ts";
import type { Lock } from "../../scripts/package/production-modules.ts";
import { isSignedBy, signChecksums } from "../../scripts/package/sign-checksums.ts";
import { vendorSwaggerUi } from "../../scripts/package/vendor-swagger-ui.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

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

test("npm runs nothing of ours where the package is a dependency", () => {
  // The package's own file.
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
  const run = ["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare"];
  expect(Object.keys(scripts).filter((name) => run.includes(name))).toEqual([]);
});

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

test("a signature of the checksums holds for exactly this file and these keys", ({ skip }) => {
  const missing = missingProgram({ "ssh-keygen": "openssh-client" });
  skip(missing !== null, missing ?? "");
  const folder = temporaryFolder();
  const keys = ["one", "other"].map((name) => {
    const file = join(folder, name);
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file]);
    writeFileSync(`${file}.allowed`, `releases@crossdock ${readFileSync(`${file}.pub`, "utf8")}`);
    return file;
  });
  const [key = "", other = ""] = keys;
  const sums = join(folder, "SHA256SUMS");
  writeFileSync(sums, "0123  crossdock.tar.gz\n");
  signChecksums(sums, key);
  expect(isSignedBy(sums, `${key}.allowed`)).toBe(true);
  expect(isSignedBy(sums, `${other}.allowed`)).toBe(false);
  writeFileSync(sums, "4567  crossdock.tar.gz\n");
  expect(isSignedBy(sums, `${key}.allowed`)).toBe(false);
  signChecksums(sums, key);
  expect(isSignedBy(sums, `${key}.allowed`)).toBe(true);
});

test("checksums are not signed with a key that users cannot check", ({ skip }) => {
  const missing = missingProgram({ "ssh-keygen": "openssh-client" });
  skip(missing !== null, missing ?? "");
  const folder = temporaryFolder();
  const key = join(folder, "key");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  const keys = join(folder, "release-keys");
  writeFileSync(join(folder, "crossdock-0.1.0-linux-x64.tar.gz"), "");
  const script = join(root, "scripts/package/make-packages.ts");
  const sign = () =>
    spawnSync(process.execPath, [script, "--sums", folder, "--sign", key, "--keys", keys], { encoding: "utf8" });
  writeFileSync(keys, "# none\n");
  expect(sign()).toMatchObject({ status: 1, stderr: expect.stringContaining("does not have this key") });
  expect(existsSync(join(folder, "SHA256SUMS.sig"))).toBe(false);
  // As CONTRIBUTING.md says.
  const [line = ""] = /^printf .*$/m.exec(readFileSync(join(root, "CONTRIBUTING.md"), "utf8")) ?? [];
  const add = line.replace("release-key.pub", `${key}.pub`).replace("deploy/release-keys", keys);
  execFileSync("sh", ["-c", add]);
  expect(sign()).toMatchObject({ status: 0 });
  expect(isSignedBy(join(folder, "SHA256SUMS"), keys)).toBe(true);
});

test("a known weakness of a library fails the audit; a registry without audits does not", () => {
  const report = (severity: string) => JSON.stringify({ vulnerabilities: { x: { severity, range: "<1" } } });
  expect(judgeAudit(report("high")).isBad).toBe(true);
  expect(judgeAudit(report("critical")).lines).toEqual(["critical: x <1"]);
  expect(judgeAudit(report("moderate")).isBad).toBe(false);
  expect(judgeAudit('{"vulnerabilities":{}}').isBad).toBe(false);
  expect(judgeAudit('{"error":{"code":"ENOAUDIT","summary":"not offered"}}')).toMatchObject({
    ...{ isBad: false, lines: ["Nothing is known about weaknesses: not offered."] },
  });
  expect(judgeAudit("", "spawnSync npm ETIMEDOUT\n")).toEqual({
    ...{ isBad: false, lines: ["Nothing is known about weaknesses: spawnSync npm ETIMEDOUT."] },
  });
  expect(judgeAudit("")).toMatchObject({ isBad: false, lines: [expect.stringContaining("no report")] });
});

test("Swagger UI is copied into the build with its licence, and its dependency is not passed on", () => {
  const dist = temporaryFolder();
  vendorSwaggerUi(root, dist);
  const files = readdirSync(join(dist, "swagger-ui")).sort();
  expect(files).toEqual([
    "LICENSE",
    "NOTICE",
    "favicon-32x32.png",
    "package.json",
    "swagger-ui-bundle.js",
    "swagger-ui.css",
  ]);
  expect(readFileSync(join(dist, "swagger-ui/package.json"), "utf8")).not.toContain("scarf");
  expect(components.map(({ name }) => name)).toContain("swagger-ui-dist");
  expect(components.map(({ name }) => name)).not.toContain("@scarf/scarf");
  const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { dependencies: object };
  const passedOn = Object.keys(own.dependencies);
  // The shape of npm's own file.
  const known = lock.packages as Record<
    string,
    { hasInstallScript?: boolean; dev?: boolean; devOptional?: boolean; peer?: boolean }
  >;
  const withScript = Object.entries(known).filter(([, one]) => one.hasInstallScript === true && one.dev !== true);
  expect(passedOn.length).toBeGreaterThan(5);
  // Reached by optional peers only, which a user installs by choice.
  expect(withScript.map(([place]) => place).filter((place) => !/\/(ssh2|cpu-features)$/.test(place))).toEqual([]);
});

test("the release workflow signs the checksums, attests where packages come from, and runs the audit", () => {
  const text = readFileSync(join(root, ".github/workflows/release.yml"), "utf8");
  for (const part of [
    "--provenance",
    "attest-build-provenance",
    "id-token: write",
    "--sign",
    "npm run audit",
    "npm run test:tarball",
  ]) {
    expect(text).toContain(part);
  }
  // A tag that does not match the version would publish something else than it says.
  expect(text).toContain("GITHUB_REF_NAME");
});
