import { isMap, isNode, isScalar, LineCounter, type YAMLMap } from "yaml";
import type { ParsedConfig } from "../document/config-document.ts";
import { pathText } from "../document/config-error.ts";
import { parseYaml } from "../document/parse-yaml.ts";
import { type FoundSetting, findOldSetting, findOldSettings, newSpelling, oldSettings } from "./old-settings.ts";
import { hasSameMeaning } from "./same-meaning.ts";

export interface OldSpelling {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  /** What to write instead. */
  readonly instead: string;
}

export interface Upgraded {
  /** The file in the new spelling. Nothing else changes, neither comments nor blanks. */
  readonly text: string;
  /** Every old spelling and its position. */
  readonly found: readonly OldSpelling[];
  /** The old spellings that only a person can rewrite. */
  readonly left: readonly OldSpelling[];
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Rewrites every old spelling of a configuration. The text has to be valid YAML. Parsing takes most of the time, so
 * whoever has parsed the text already passes the result.
 */
export function upgradeText(given: string, parsed = parsedFrom(given)): Upgraded {
  const found = spellingsIn(parsed);
  if (found.length === 0) return { text: given, found, left: [] };
  let text = given;
  let { document } = parsed;
  for (const setting of oldSettings) {
    // Each setting is searched in the result of the previous change, because one old spelling may be inside another.
    const edits = findOldSetting(document, setting).flatMap((one) => editsFor(one, text) ?? []);
    if (edits.length === 0) continue;
    const next = edited(text, edits);
    const rewritten = parseYaml(next);
    // A comment that slips into a value, or an anchor that other settings use too: a person has to rewrite it.
    if (!hasSameMeaning(document, rewritten)) continue;
    text = next;
    document = rewritten;
  }
  return { text, found, left: spellingsIn(parsedFrom(text)) };
}

function parsedFrom(text: string): ParsedConfig {
  const lines = new LineCounter();
  return { document: parseYaml(text, { lineCounter: lines }), lines };
}

function spellingsIn({ document, lines }: ParsedConfig): OldSpelling[] {
  const spellings = findOldSettings(document).map(({ setting, path, key, pair }) => {
    const { line, col } = lines.linePos(key.range?.[0] ?? 0);
    const value = isScalar(pair.value) ? String(pair.value.value) : undefined;
    return { path: pathText(path), line, column: col, instead: newSpelling(setting, String(key.value), value) };
  });
  return spellings.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

/** Edits from the end to the beginning, so that earlier positions stay valid. */
const edited = (text: string, edits: readonly Edit[]): string =>
  edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((rest, { start, end, text: now }) => rest.slice(0, start) + now + rest.slice(end), text);

/** Returns null if only a person can make the change. */
function editsFor(found: FoundSetting, text: string): Edit[] | null {
  const { setting, key, pair, owner } = found;
  if (setting.lift !== undefined) return liftEdits(found, text);
  const { to, values = {} } = setting;
  const isTaken = owner.items.some((other) => isScalar(other.key) && other.key.value === to);
  if (key.range == null || isTaken) return null;
  const quote = quoting(found);
  const { value } = pair;
  const now = isScalar(value) ? values[String(value.value)] : undefined;
  return [
    ...(to === undefined ? [] : [{ start: key.range[0], end: key.range[1], text: quote(to) }]),
    ...(isScalar(value) && value.range != null && now !== undefined
      ? [{ start: value.range[0], end: value.range[1], text: quote(now) }]
      : []),
  ];
}

/** In a JSON file, every name and text is quoted. */
const quoting =
  ({ key }: FoundSetting) =>
  (word: string): string =>
    key.type === "QUOTE_DOUBLE" ? JSON.stringify(word) : word;

/** Moves the members of a section up into the surrounding one. */
function liftEdits(found: FoundSetting, text: string): Edit[] | null {
  const { setting, key, pair, owner } = found;
  const quote = quoting(found);
  const kind = typeof setting.lift === "string" ? `${quote("kind")}: ${quote(setting.lift)}` : null;
  const { value } = pair;
  // With two kinds it is unclear which one is meant, and an anchor would be lost.
  if (key.range == null || (kind !== null && owner.items.length > 1)) return null;
  const [start, keyEnd] = key.range;
  if (!isMap(value) || value.range == null) {
    const colon = text.indexOf(":", keyEnd) + 1;
    const isNothing = value === null || (isScalar(value) && value.value === null);
    return isNothing && kind !== null && colon > 0 ? [{ start, end: nothingEnd(pair.value, colon), text: kind }] : null;
  }
  if (value.anchor !== undefined || value.tag !== undefined) return null;
  if (!value.flow) return blockEdits(text, { start, keyEnd, kind, value });
  return owner.flow ? flowEdits(text, { start, kind, value }) : unfoldEdits(text, { start, kind, value });
}

const nothingEnd = (value: unknown, colon: number) =>
  isScalar(value) && value.range != null ? Math.max(value.range[1], colon) : colon;

/** `{ bearer: { token: x } }` → `{ kind: bearer, token: x }` */
function flowEdits(
  text: string,
  { start, kind, value }: { start: number; kind: string | null; value: YAMLMap },
): Edit[] {
  const [open = 0, end = 0] = value.range ?? [];
  const inner = text.slice(open + 1, end - 1);
  if (value.items.length === 0) return [{ start, end, text: kind ?? "" }];
  // After a comment the line has to end, or what follows would become part of the comment.
  const members = /#[^\n]*\n\s*$/.test(inner) ? inner : inner.trimEnd();
  const following = members.startsWith("\n") ? `,${members}` : `, ${members.trimStart()}`;
  return [{ start, end, text: kind === null ? members.trimStart() : kind + following }];
}

/** Writes a section that was in braces as a block of its own below the surrounding name. */
function unfoldEdits(
  text: string,
  { start, kind, value }: { start: number; kind: string | null; value: YAMLMap },
): Edit[] | null {
  const [open = 0, end = 0] = value.range ?? [];
  const source = text.slice(open, end);
  if (source.includes("\n")) {
    // Comments between the braces stay where they are. The braces become those of the surrounding section.
    const inner = kind === null ? null : source.replace("{", `{ ${kind},`);
    return inner === null ? null : [{ start, end, text: inner }];
  }
  const indent = " ".repeat(columnOf(text, start));
  const members = value.items.map(({ key, value: own }) => {
    const [from = open, keyEnd = end] = isScalar(key) ? (key.range ?? []) : [];
    return text.slice(from, isNode(own) ? (own.range?.[1] ?? keyEnd) : keyEnd);
  });
  return [{ start, end, text: [...(kind === null ? [] : [kind]), ...members].join(`\n${indent}`) }];
}

/** Moves the lines of the section out to the column of its name. */
function blockEdits(
  text: string,
  { start, keyEnd, kind, value }: { start: number; keyEnd: number; kind: string | null; value: YAMLMap },
): Edit[] {
  const [first = 0, end = 0] = value.range ?? [];
  const colon = text.indexOf(":", keyEnd) + 1;
  const depth = columnOf(text, first) - columnOf(text, start);
  const body = text.slice(colon, end).replace(new RegExp(`\\n {${depth}}`, "g"), "\n");
  if (kind !== null) return [{ start, end, text: kind + body }];
  // The rest of the line with the name: a comment, or nothing.
  const indent = " ".repeat(columnOf(text, start));
  const rest = body.replace(/^ *\n/, "\n").replace(/^\n */, "");
  return [
    {
      start,
      end,
      text: body.startsWith("\n") || /^ *\n/.test(body) ? rest : body.replace(/^ *(#.*)\n */, `$1\n${indent}`),
    },
  ];
}

const columnOf = (text: string, offset: number): number => offset - (text.lastIndexOf("\n", offset - 1) + 1);
