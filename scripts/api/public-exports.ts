import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** One exported name of the package. */
export interface PublicExport {
  readonly name: string;
  readonly kind: "function" | "const" | "class" | "interface" | "type" | "from a library";
  /** The text of the export's comment, as one paragraph. */
  readonly summary: string;
  /** The declaration with all overloads, without the comment before it. */
  readonly text: string;
}

/** Every export of an entry point, sorted by name, from the compiler's declarations. */
export const publicExports = (declarationFile: string): PublicExport[] =>
  [...exportsOf(declarationFile).values()].toSorted((a, b) => a.name.localeCompare(b.name, "en"));

/** What a module declares itself, and what it re-exports. */
function exportsOf(file: string): Map<string, PublicExport> {
  const text = readFileSync(file, "utf8");
  const found = declarationsIn(text);
  for (const [, star, list, from = ""] of text.matchAll(/^export (?:type )?(?:(\*)|\{([^}]+)\}) from "([^"]+)";/gm)) {
    if (!from.startsWith(".")) {
      for (const name of namesIn(list ?? "")) {
        found.set(name, { name, kind: "from a library", summary: `Of the library \`${from}\`.`, text: "" });
      }
      continue;
    }
    const handed = exportsOf(moduleFile(file, from));
    for (const name of star === undefined ? namesIn(list ?? "") : handed.keys()) {
      const one = handed.get(name);
      if (one === undefined) throw new Error(`${file} exports ${name}, and ${from} declares none`);
      found.set(name, one);
    }
  }
  return found;
}

const moduleFile = (importer: string, from: string) => join(dirname(importer), from.replace(/\.[jt]s$/, ".d.ts"));

const namesIn = (list: string): string[] =>
  list
    .split(",")
    .map((one) => one.replace(/^\s*type\s+/, "").trim())
    .filter((one) => one !== "");

const declaration =
  /^(?<doc>\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?export (?:declare )?(?<kind>function|const|class|interface|type) (?<name>\w+)[\s\S]*?(?=^(?:export|import|declare|type|interface|const|\/\*\*|\/\/)|(?![\s\S]))/gm;

function declarationsIn(module: string): Map<string, PublicExport> {
  const declared = new Map<string, PublicExport>();
  for (const match of module.matchAll(declaration)) {
    const { doc = "", kind = "", name = "" } = match.groups ?? {};
    const text = tidied(match[0].slice(doc.length));
    const before = declared.get(name);
    // Overloads of a function are one export.
    if (before !== undefined) declared.set(name, { ...before, text: `${before.text}\n${text}` });
    // The regular expression allows only these five words.
    else declared.set(name, { name, kind: kind as PublicExport["kind"], summary: paragraph(doc), text });
  }
  return declared;
}

const tidied = (text: string): string =>
  text
    .trim()
    .replaceAll(/import\("[^"]+"\)\./g, "")
    .replaceAll(/^export (declare )?/gm, "")
    .replaceAll(/^( {4})+/gm, (indent) => " ".repeat(indent.length / 2));

const paragraph = (doc: string): string =>
  doc
    .replaceAll(/^\s*\/?\*+\/?/gm, "")
    .replace(/\*\/\s*$/, "")
    .replaceAll(/\s+/g, " ")
    .trim();
