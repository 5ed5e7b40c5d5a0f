import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Lock, productionModules, vendored } from "./production-modules.ts";

/** A library that is part of a package of Crossdock. */
export interface Component {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** The algorithm and checksum of the archive in the registry, as npm writes it. */
  readonly integrity: string | undefined;
  /** The texts of its licence and notice files. */
  readonly texts: readonly string[];
}

/** Every library in a package, from the lock file and the installed files. */
export function componentsOf(lock: Lock, root: string): Component[] {
  return [...productionModules(lock, root), ...vendored].sort().map((place) => {
    // Each library has a package.json with these members.
    const manifest = JSON.parse(readFileSync(join(root, place, "package.json"), "utf8")) as {
      name: string;
      version: string;
      license?: string | { type: string };
      licenses?: { type: string }[];
    };
    const { name, version, license, licenses } = manifest;
    const licence =
      typeof license === "string" ? license : (license?.type ?? licenses?.map(({ type }) => type).join(" OR "));
    return {
      ...{ name, version, licence: licence ?? "unknown" },
      integrity: lock.packages[place]?.integrity,
      texts: licenceTexts(join(root, place)),
    };
  });
}

const licenceTexts = (folder: string): string[] =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter((file) => /^(licen[cs]e|notice|copying)([.-].*)?$/i.test(file) && !/\.(js|ts)$/.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8").trim());

export interface BillNeeds {
  readonly version: string;
  readonly nodeVersion: string;
  readonly components: readonly Component[];
}

/** Writes a bill of materials in CycloneDX 1.5. The same input gives the same text. */
export function cycloneDx({ version, nodeVersion, components }: BillNeeds): string {
  const library = ({ name, version: at, licence, integrity }: Component) => {
    const purl = `pkg:npm/${name.replace("@", "%40")}@${at}`;
    const [, content] = /^sha512-(.+)$/.exec(integrity ?? "") ?? [];
    const hash = content === undefined ? undefined : Buffer.from(content, "base64").toString("hex");
    return {
      ...{ type: "library", "bom-ref": purl, name, version: at, purl },
      licenses: [isExpression(licence) ? { expression: licence } : { license: { id: licence } }],
      ...(hash === undefined ? {} : { hashes: [{ alg: "SHA-512", content: hash }] }),
    };
  };
  const ref = `pkg:npm/crossdock@${version}`;
  const node = { type: "platform", "bom-ref": `node@${nodeVersion}`, name: "node", version: nodeVersion };
  const libraries = components.map(library);
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": ref,
        name: "crossdock",
        version,
        purl: ref,
        licenses: [{ license: { id: "Apache-2.0" } }],
      },
    },
    components: [{ ...node, licenses: [{ license: { id: "MIT" } }] }, ...libraries],
    dependencies: [{ ref, dependsOn: [node["bom-ref"], ...libraries.map((one) => one["bom-ref"])] }],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const isExpression = (licence: string) => /[ ()]/.test(licence);

/** The licences of all libraries. Each text stands once, with the libraries it applies to. */
export function licencesText(components: readonly Component[]): string {
  const holders = new Map<string, string[]>();
  for (const { name, version, licence, texts } of components) {
    for (const text of texts.length === 0 ? [`(no file; its package says: ${licence})`] : texts) {
      holders.set(text, [...(holders.get(text) ?? []), `${name} ${version} (${licence})`]);
    }
  }
  const parts = [...holders].map(([text, names]) => `${names.join("\n")}\n\n${text}\n`);
  return `Crossdock brings these libraries. Node has its licence beside its program.\n\n${parts.join(`\n${"=".repeat(80)}\n\n`)}`;
}
