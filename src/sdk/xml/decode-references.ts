import { XmlFlaw } from "./xml-flaw.ts";

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const reference = /&(?:#([0-9]{1,7})|#x([0-9a-fA-F]{1,6})|([A-Za-z]\w*));|&/g;

/** `&amp;` and `&#228;` as the characters they stand for. Others would come from a document type, which is not taken. */
export function decodeReferences(text: string, at: number): string {
  if (!text.includes("&")) return text;
  return text.replace(reference, (whole, decimal?: string, hex?: string, name?: string, offset = 0) => {
    const known = name !== undefined && Object.hasOwn(named, name) ? named[name] : undefined;
    if (known !== undefined) return known;
    const code = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : 0;
    if (code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000)) return String.fromCodePoint(code);
    throw new XmlFlaw(at + offset, `${whole} is not known; write & in texts as &amp;`);
  });
}
