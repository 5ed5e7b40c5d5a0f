import { localise } from "../../messages/localise.ts";
import { asBuffer, byteOrderMark, decode, type Encoding, encodings } from "../encodings/encoding.ts";
import { findEncoding } from "../encodings/find-encoding.ts";

const encodingByName: Readonly<Record<string, Encoding>> = {
  "utf-8": "utf-8",
  utf8: "utf-8",
  "us-ascii": "utf-8",
  // Files that claim Latin-1 are mostly Windows-1252; for real Latin-1 both give the same text.
  "iso-8859-1": "windows-1252",
  latin1: "windows-1252",
  "windows-1252": "windows-1252",
  "windows-1250": "windows-1250",
  "utf-16": "utf-16le",
  "utf-16le": "utf-16le",
  "utf-16be": "utf-16be",
};

/** Decodes a document by its byte order mark, the zeros of UTF-16 or its XML declaration; or returns why it cannot. */
function xmlText(bytes: Uint8Array): { readonly text: string } | { readonly unreadable: string } {
  const buffer = asBuffer(bytes);
  const head = buffer.toString("latin1", 0, 200);
  const named = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.-]+)["']/i.exec(head)?.[1];
  const declared = named === undefined ? "utf-8" : encodingNamed(named.toLowerCase());
  if (declared === undefined) return { unreadable: `the encoding ${named} is not supported; write the file as UTF-8` };
  const isWide = byteOrderMark(bytes) === null && (bytes[0] === 0 || bytes[1] === 0);
  const found = findEncoding(bytes, isWide ? (bytes[1] === 0 ? "utf-16le" : "utf-16be") : declared);
  if ("encoding" in found) return { text: decode(buffer, found.encoding, found.markLength) };
  if (declared === "utf-8" && byteOrderMark(bytes) === null && found.refusal.key === "files.encoding.invalid") {
    return { unreadable: "the file is not UTF-8; write it as UTF-8, or name its encoding in the first line" };
  }
  return { unreadable: localise(found.refusal, "en") };
}

const encodingNamed = (name: string): Encoding | undefined =>
  encodingByName[name] ?? encodings.find((encoding) => encoding === name);

/** Where and why a document cannot be parsed. */
class XmlFlaw extends Error {
  /** Offset in the text. */
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.name = "XmlFlaw";
    this.at = at;
  }
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const reference = /&(?:#([0-9]{1,7})|#x([0-9a-fA-F]{1,6})|([A-Za-z]\w*));|&/g;

/** `&amp;` and `&#228;` as the characters they stand for. Other entities need a document type, which is refused. */
function decodeReferences(text: string, at: number): string {
  if (!text.includes("&")) return text;
  return text.replace(reference, (whole, decimal?: string, hex?: string, name?: string, offset = 0) => {
    const known = name !== undefined && Object.hasOwn(named, name) ? named[name] : undefined;
    if (known !== undefined) return known;
    const code = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : 0;
    if (code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000)) return String.fromCodePoint(code);
    throw new XmlFlaw(at + offset, `${whole} is not a known entity; write & in texts as &amp;`);
  });
}

export type XmlReading =
  | { readonly value: Readonly<Record<string, unknown>> }
  | { readonly flaw: { readonly line: number; readonly column: number; readonly text: string } };

type Members = Record<string, unknown>;
interface Open {
  readonly name: string;
  /** The offset where its tag starts. */
  readonly at: number;
  /** Created at the first attribute or child: most elements have only text. */
  members: Members | null;
  text: string;
}

/** Deeper values would overflow the stack when they are serialised again. */
const maxDepth = 100;
/** An empty element has four bytes in the file and many more in memory. */
const maxElements = 3_000_000;

const nameAt = /[\p{L}_:][\p{L}\p{N}\p{M}_:.·-]*/uy;
const attributeAt = /\s+([\p{L}_:][\p{L}\p{N}\p{M}_:.·-]*)\s*=\s*(?:"([^<"]*)"|'([^<']*)')/uy;
const tagEndAt = /\s*(\/?)>/y;

/**
 * Reads an XML document as nested objects. Attributes get an `@`, so that an element and an attribute of the same name
 * stay apart. Namespace prefixes are dropped, because they are arbitrary. Elements of the same name become a list.
 * Texts stay texts, because `007` and `1E5` are mostly article numbers.
 * A document type is refused: without one there are no custom entities, so nothing can expand while it is read and no
 * other file can be included.
 */
export function parseXml(bytes: Uint8Array): XmlReading {
  const decoded = xmlText(bytes);
  if ("unreadable" in decoded) return { flaw: { line: 1, column: 1, text: decoded.unreadable } };
  const { text } = decoded;
  try {
    return { value: read(text) };
  } catch (error) {
    if (!(error instanceof XmlFlaw)) throw error;
    const before = text.slice(0, error.at);
    const line = before.split("\n").length;
    return { flaw: { line, column: error.at - before.lastIndexOf("\n"), text: error.message } };
  }
}

function read(text: string): Members {
  const root: Open = { name: "", at: 0, members: null, text: "" };
  const stack: Open[] = [root];
  let top = root;
  let at = 0;
  let elements = 0;
  for (;;) {
    const start = text.indexOf("<", at);
    const end = start === -1 ? text.length : start;
    if (end > at) addText(top, decodeReferences(text.slice(at, end), at), at);
    if (start === -1) break;
    const sign = text[start + 1];
    if (sign === "!" || sign === "?") {
      at = skipMarkup(text, start, top);
    } else if (sign === "/") {
      at = beyond(text, ">", start, "a closing tag is not complete");
      const name = text.slice(start + 2, at - 1).trim();
      if (stack.length === 1 || name !== top.name) {
        const expected = stack.length === 1 ? "nothing is open" : `<${top.name}> is still open`;
        throw new XmlFlaw(start, `</${name}> closes nothing: ${expected}`);
      }
      const closed = stack.pop() ?? root;
      top = stack.at(-1) ?? root;
      attach(top, closed);
    } else {
      if (++elements > maxElements) throw new XmlFlaw(start, `there are more than ${maxElements} elements`);
      const tag = openTag(text, start);
      at = tag.end;
      if (stack.length === 1 && root.members !== null) throw new XmlFlaw(start, "there is a second root element");
      if (tag.isEmpty) attach(top, tag.open);
      else {
        if (stack.length > maxDepth) throw new XmlFlaw(start, `elements are nested deeper than ${maxDepth}`);
        stack.push(tag.open);
        top = tag.open;
      }
    }
  }
  if (stack.length > 1) throw new XmlFlaw(top.at, `<${top.name}> is never closed; the file may be incomplete`);
  if (root.members === null) throw new XmlFlaw(0, "there is no element");
  return root.members;
}

function openTag(text: string, start: number): { open: Open; end: number; isEmpty: boolean } {
  nameAt.lastIndex = start + 1;
  const name = nameAt.exec(text)?.[0];
  if (name === undefined) throw new XmlFlaw(start, "a tag has no name; write < in texts as &lt;");
  const open: Open = { name, at: start, members: null, text: "" };
  let end = nameAt.lastIndex;
  for (;;) {
    attributeAt.lastIndex = end;
    const attribute = attributeAt.exec(text);
    if (attribute === null) break;
    const [whole, key = "", double, single] = attribute;
    end += whole.length;
    // Namespace declarations are not needed once prefixes are dropped.
    if (key === "xmlns" || key.startsWith("xmlns:")) continue;
    open.members ??= {};
    const member = `@${localName(key)}`;
    // Without this check the last one would count, and another reader may use the first.
    if (Object.hasOwn(open.members, member)) throw new XmlFlaw(start, `<${name}> has the attribute ${key} twice`);
    open.members[member] = decodeReferences(double ?? single ?? "", end);
  }
  tagEndAt.lastIndex = end;
  const tagEnd = tagEndAt.exec(text);
  if (tagEnd === null) throw new XmlFlaw(end, `the tag <${name}> cannot be read here`);
  return { open, end: tagEndAt.lastIndex, isEmpty: tagEnd[1] === "/" };
}

/** Comments, instructions and CDATA; returns their end. */
function skipMarkup(text: string, start: number, top: Open): number {
  if (text[start + 1] === "?") return beyond(text, "?>", start, "an instruction (<?…) is never closed");
  if (text.startsWith("<!--", start)) return beyond(text, "-->", start + 4, "a comment is never closed");
  if (text.startsWith("<![CDATA[", start)) {
    const end = beyond(text, "]]>", start, "a CDATA section is never closed");
    addText(top, text.slice(start + 9, end - 3), start);
    return end;
  }
  throw new XmlFlaw(start, "a document type (<!DOCTYPE …>) is not allowed; remove it");
}

function beyond(text: string, sign: string, from: number, otherwise: string): number {
  const found = text.indexOf(sign, from);
  if (found === -1) throw new XmlFlaw(from, otherwise);
  return found + sign.length;
}

function addText(to: Open, text: string, at: number): void {
  if (to.name !== "") to.text += text;
  else if (text.trim() !== "") throw new XmlFlaw(at, "there is text outside of the root element");
}

/**
 * Refuses names that differ only in letter case: most readers treat them as one member, and each might take a different
 * one.
 */
function checkSpellings(members: Members, at: number): void {
  const names = Object.keys(members);
  if (names.length < 2 || new Set(names.map((name) => name.toLowerCase())).size === names.length) return;
  const byLowerCase = new Map<string, string>();
  for (const name of names) {
    const earlier = byLowerCase.get(name.toLowerCase());
    if (earlier !== undefined) throw new XmlFlaw(at, `${earlier} and ${name} are one name given twice; keep one`);
    byLowerCase.set(name.toLowerCase(), name);
  }
}

function attach(to: Open, { name, at, members, text }: Open): void {
  const key = localName(name);
  // An assignment would change the object's prototype instead of adding a member.
  if (key === "__proto__") throw new XmlFlaw(at, "no element can be named __proto__");
  if (members !== null) checkSpellings(members, at);
  const trimmed = text.trim();
  if (members !== null && trimmed !== "") members["#text"] = trimmed;
  const value = members ?? trimmed;
  to.members ??= {};
  const earlier = Object.hasOwn(to.members, key) ? to.members[key] : undefined;
  if (earlier === undefined) to.members[key] = value;
  else if (Array.isArray(earlier)) earlier.push(value);
  else to.members[key] = [earlier, value];
}

const localName = (name: string) => name.slice(name.indexOf(":") + 1);
