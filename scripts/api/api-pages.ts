import type { Door } from "./doors.ts";
import type { PublicExport } from "./public-exports.ts";
import { stabilityOf } from "./stability.ts";

/** Longer declarations are tables derived from the contract, which nobody reads as types. */
const mostLines = 60;

const about: Readonly<Record<string, string>> = {
  ".": "Start the adapter from your own code.",
  "./contract": "The contract as data: the endpoint table, schemas, enums, a typed client and samples.",
  "./sdk": "Define a connector. See [write a connector](../../how-to/write-a-connector.md).",
  "./conformance": "Judge an adapter, a connector or a journal. See [conform](../../how-to/conform.md).",
};

/** The pages of docs/reference/api, by file name. */
export function apiPages(doors: readonly Door[]): Record<string, string> {
  const list = doors.map(
    (door) => `| [\`${door.specifier}\`](${pageOf(door)}) | ${about[door.path] ?? ""} | ${door.exports.length} |`,
  );
  const index = [
    "# API",
    "Every export of the package, from its types. Made by `npm run generate`; how much you may rely on each is in [stability](../stability.md).",
    ["| Import from | Holds | Exports |", "|---|---|---:|", ...list].join("\n"),
  ];
  const pages = doors.map((door): [string, string] => [pageOf(door), `${pageText(door).join("\n\n")}\n`]);
  return { "README.md": `${index.join("\n\n")}\n`, ...Object.fromEntries(pages) };
}

const pageOf = ({ specifier }: Door) => `${specifier.replaceAll("/", "-")}.md`;

function pageText(door: Door): string[] {
  const used = new Map<string, number>();
  const anchorOf = (name: string): string => {
    const plain = name.toLowerCase();
    const before = used.get(plain) ?? 0;
    used.set(plain, before + 1);
    // Headings that differ only in letter case, such as ok and Ok, get a number.
    return before === 0 ? plain : `${plain}-${before}`;
  };
  const rows = door.exports.map(
    ({ name, kind, summary }) => `| [\`${name}\`](#${anchorOf(name)}) | ${kind} | ${firstSentence(summary)} |`,
  );
  return [
    `# ${door.specifier}`,
    about[door.path] ?? "",
    ["| Export | Kind | |", "|---|---|---|", ...rows].join("\n"),
    ...door.exports.flatMap((one) => sectionOf(door, one)),
  ];
}

function sectionOf(door: Door, { name, kind, summary, text }: PublicExport): string[] {
  const lines = text.split("\n");
  const shown =
    lines.length > mostLines
      ? `Its ${lines.length} lines of types follow from the [contract](../contract.md), where they are easier to read.`
      : text === ""
        ? ""
        : `\`\`\`ts\n${text}\n\`\`\``;
  const { stability } = stabilityOf(door.path, name);
  return [`## ${name}`, `${capital(kind)}, ${stability}. ${inText(summary)}`.trim(), shown].filter(
    (part) => part !== "",
  );
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Escapes text: brackets in a comment must not become a link, nor a bar a table column. */
const inText = (text: string) => text.replaceAll("|", "\\|").replaceAll("](", "] (");

const firstSentence = (text: string): string => inText(/^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text);
