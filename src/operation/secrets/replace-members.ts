import { maskNestedMembers } from "./nested-members.ts";

/**
 * Where a member stands: `body` is JSON, XML or a form; `address` the query of an address; `text` is `name=value`
 * anywhere else, such as an attribute or a part of a sentence.
 */
export type MemberPlace = "body" | "address" | "text";

/** Returns what to show instead of a value; null: the value. */
export type MaskMember = (name: string, value: string, place: MemberPlace) => string | null;

// Every part is bounded or begins with a sign of its own: otherwise a hostile text would take quadratic time. No part
// needs the end of a value, because the text may be cut.
const text = String.raw`"[^"\\]*(?:\\[^][^"\\]*)*`;
const number = String.raw`-?\d[\d.eE+-]*`;
const list = String.raw`\[(?:[\s,]{0,20}(?:${text}"|${number}))*`;
const jsonMember = new RegExp(
  String.raw`("((?:[^"\\]|\\[^]){1,64})"\s{0,20}:\s{0,20})(${text}|${number}|${list})`,
  "g",
);
const listElement = new RegExp(`${text}(?:"|$)|${number}`, "g");
const xmlElement =
  /(<(?:[\w.-]{1,64}:)?([\w.-]{1,64})(?:\s[^<>]{0,1000})?>(?:<!\[CDATA\[)?)((?<=\[CDATA\[)[^\]]+|[^<]+)/g;
const pair = /(^|[^\w.-])([\w.-]{1,64})=("[^"]*|'[^']*|[^&\s"<>]*)/g;
const beforeParameter = new Set(["?", "&", ";"]);

/**
 * Replaces values by the names of their members, in JSON, in JSON that is a text inside other JSON, in XML, in forms and
 * addresses, also where these are only a part of the text. The text is changed in place, so that long numbers, the order
 * of members and a text that was cut in the middle stay as they were.
 */
export function replaceMembers(given: string, mask: MaskMember): string {
  const inJson = maskNestedMembers(given, (name, value) => mask(name, value, "body")).replace(
    jsonMember,
    (whole, before: string, name: string, value: string) => {
      const shown = jsonValue(value, (one) => mask(name, one, "body"));
      return shown === null ? whole : before + shown;
    },
  );
  const inXml = inJson.includes("<")
    ? inJson.replace(xmlElement, (whole, before: string, name: string, value: string) => {
        const shown = value.trim() === "" ? null : mask(name, value, "body");
        return shown === null ? whole : before + shown;
      })
    : inJson;
  if (!inXml.includes("=")) return inXml;
  return inXml.replace(pair, (whole, before: string, name: string, value: string) => {
    const place = before === "" ? "body" : beforeParameter.has(before) ? "address" : "text";
    const quote = value.startsWith('"') || value.startsWith("'") ? value.slice(0, 1) : "";
    // The quote after an address ends the text in which the address stands.
    if (quote === '"' && place !== "text") return whole;
    const shown = mask(name, value.slice(quote.length), place);
    return shown === null ? whole : `${before}${name}=${quote}${shown}`;
  });
}

/** A value of JSON, without the quote that ends it. A number is replaced by a text. */
function jsonValue(value: string, mask: (value: string) => string | null): string | null {
  if (value.startsWith('"')) {
    const shown = mask(value.slice(1));
    return shown === null ? null : `"${shown}`;
  }
  if (!value.startsWith("[")) {
    const shown = mask(value);
    return shown === null ? null : `"${shown}"`;
  }
  return value.replace(listElement, (one) => {
    const shown = mask(one.startsWith('"') ? one.slice(1, -1) : one);
    return shown === null ? one : `"${shown}"`;
  });
}
