import { textSlices } from "../../../kit/json/write-in-turns.ts";

type Members = Readonly<Record<string, unknown>>;

/**
 * Writes a value as an XML document: members become elements, members with an `@` become attributes, lists repeat their
 * element. It is written in pieces, because an event may be megabytes long.
 */
export function* xmlPieces(root: string, value: unknown): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield* element(root, value);
  yield "\n";
}

/** Whether a member can be an element or an attribute. */
const isXmlName = (name: string): boolean => /^@?[\p{L}_][\p{L}\p{N}\p{M}_.·-]*$/u.test(name);

function* element(name: string, value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    for (const one of value) yield* element(name, one);
    return;
  }
  let isEmpty = true;
  for (const piece of contentOf(value)) {
    if (piece === "") continue;
    if (isEmpty) yield `<${name}${attributesOf(value)}>`;
    isEmpty = false;
    yield piece;
  }
  yield isEmpty ? `<${name}${attributesOf(value)}/>` : `</${name}>`;
}

function* contentOf(value: unknown): Generator<string> {
  if (value === null || value === undefined) return;
  if (typeof value !== "object") {
    yield* escapedPieces(String(value));
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined || key.startsWith("@")) continue;
    if (key === "#text") yield* escapedPieces(String(member));
    else yield* element(xmlName(key), member);
  }
}

function attributesOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  // It is an object by the check above; its members may be anything.
  return Object.entries(value as Members)
    .filter(([key, member]) => key.startsWith("@") && member !== undefined && member !== null)
    .map(([key, member]) => ` ${xmlName(key.slice(1))}="${escaped(String(member)).replaceAll('"', "&quot;")}"`)
    .join("");
}

/** Future members of events may have any name; names that XML does not allow would make the file unreadable. */
const xmlName = (name: string): string => {
  if (isXmlName(name)) return name;
  const cleaned = name.replace(/[^\p{L}\p{N}\p{M}_.·-]/gu, "_");
  return /^[\p{L}_]/u.test(cleaned) ? cleaned : `_${cleaned}`;
};

const mayStand = /[\t\n\r\u007f-\u009f]/;

/** Characters that XML cannot represent at all, not even as a reference, become the replacement character. */
const writable = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\ufffe\uffff]/gu, (character) => (mayStand.test(character) ? character : "\ufffd"));

const escaped = (text: string): string =>
  writable(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\r", "&#13;");

/** A slice of this length is escaped in about a millisecond. */
const sliceLength = 64 * 1024;

function* escapedPieces(text: string): Generator<string> {
  for (const slice of textSlices(text, sliceLength)) yield escaped(slice);
}
