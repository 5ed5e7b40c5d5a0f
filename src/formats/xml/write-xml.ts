type Members = Readonly<Record<string, unknown>>;

/** A value as an XML document: members become elements, those with an `@` become attributes, lists repeat their element. */
export const writeXml = (root: string, value: unknown): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${element(root, value)}\n`;

/** Whether a member can be an element or an attribute. */
const isXmlName = (name: string): boolean => /^@?[\p{L}_][\p{L}\p{N}\p{M}_.·-]*$/u.test(name);

function element(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => element(name, one)).join("");
  if (value === null || value === undefined) return `<${name}/>`;
  if (typeof value !== "object") {
    const text = escaped(String(value));
    return text === "" ? `<${name}/>` : `<${name}>${text}</${name}>`;
  }
  // An object: texts, numbers and lists were handled above.
  const members = Object.entries(value as Members).filter(([, member]) => member !== undefined);
  const attributes = members
    .filter(([key, member]) => key.startsWith("@") && member !== null)
    .map(([key, member]) => ` ${xmlName(key.slice(1))}="${escaped(String(member)).replaceAll('"', "&quot;")}"`);
  const content = members
    .filter(([key]) => !key.startsWith("@"))
    .map(([key, member]) => (key === "#text" ? escaped(String(member)) : element(xmlName(key), member)))
    .join("");
  const start = name + attributes.join("");
  return content === "" ? `<${start}/>` : `<${start}>${content}</${name}>`;
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
