/** Members and elements that hold what a person wrote, or where somebody lives; compared without case, `-` and `_`. */
const personal =
  /^(.*(mail|phone|mobile|telefax|street|address|addr|city|town|zip|postcode|postalcode|contact|customer|recipient|consignee|firstname|lastname|surname|fullname|displayname|person|username|useremail|birth)\w*|name\d?|user|description|comment|comments|note|notes|remark|remarks|memo|text|fax|vat|iban)$/;

const isPersonal = (name: string): boolean => personal.test(name.toLowerCase().replace(/[-_]/g, ""));

/** Long enough to say that there was something, and how much. */
const maskOf = (text: string): string => (text === "" ? "" : `*** (${text.length})`);

// Every part is bounded: a long text without an end must not take time by its square.
const jsonMember = /"((?:[^"\\]|\\.){1,64})"(\s*:\s*)"((?:[^"\\]|\\.)*)("|$)/g;
const xmlElement = /<((?:[\w.-]{1,64}:)?([\w.-]{1,64}))((?:\s[^<>]{0,1000})?)>([^<]+)</g;
const formMember = /(^|[?&])([\w.-]{1,64})=([^&\s"]*)/g;

/**
 * Removes what people should not pass on: e-mail addresses anywhere, and names, addresses and free texts by the name of
 * their member, in JSON, XML and query strings. The text is changed in place, so that long numbers, order and even a text
 * that was cut in the middle stay as they were.
 */
export function scrubText(text: string): string {
  const clean = text
    .replace(jsonMember, (whole, name: string, colon: string, value: string, end: string) =>
      isPersonal(name) ? `"${name}"${colon}"${maskOf(value)}${end}` : whole,
    )
    .replace(xmlElement, (whole, tag: string, name: string, attributes: string, value: string) =>
      isPersonal(name) && value.trim() !== "" ? `<${tag}${attributes}>${maskOf(value)}<` : whole,
    )
    .replace(formMember, (whole, before: string, name: string, value: string) =>
      isPersonal(name) ? `${before}${name}=${maskOf(value)}` : whole,
    );
  return withoutAddresses(clean);
}

const ends = /[\s"<>,;\\@]/;
const endsDomain = /[\s"'<>(){}[\],;:=\\@]/;

/** Looks around every `@`: a pattern that begins with any letters would try each letter of a long text. */
function withoutAddresses(text: string): string {
  let clean = "";
  let copied = 0;
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    let from = at;
    while (from > copied && at - from < 64 && !ends.test(text[from - 1] ?? " ")) from--;
    let to = at + 1;
    while (to < text.length && to - at < 255 && !endsDomain.test(text[to] ?? " ")) to++;
    if (from === at || to === at + 1) continue;
    clean += `${text.slice(copied, from)}***@***`;
    copied = to;
  }
  return clean + text.slice(copied);
}
