const personalName = "useremail";

/** `j***@example.com`: enough to distinguish two people of a shift, too little to write to one. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  const [first = ""] = email;
  return at <= 0 ? `${first}***` : `${first}***${email.slice(at)}`;
}

/**
 * Masks every operator's address in a JSON text, at any depth. The text is changed in place: parsing and serialising
 * it again would change long numbers, and the reader compares it with what was sent.
 */
export function maskPersonal(json: string): string {
  // The name may be written with escapes; only then is the fast check not enough.
  if (!json.includes("\\u")) return maskNamed(json);
  let masked = "";
  let copied = 0;
  let isPersonal = false;
  for (let start = json.indexOf('"'); start >= 0; ) {
    const end = endOfText(json, start);
    const next = afterBlanks(json, end);
    if (json[next] === ":") {
      isPersonal =
        textOf(json.slice(start, end)).toLowerCase() === personalName && json[afterBlanks(json, next + 1)] === '"';
    } else if (isPersonal) {
      masked += json.slice(copied, start) + JSON.stringify(maskEmail(textOf(json.slice(start, end))));
      copied = end;
      isPersonal = false;
    }
    start = json.indexOf('"', end);
  }
  return masked + json.slice(copied);
}

/** Within a text the quotes would be escaped, so this is the name of a member. */
const personalMember = new RegExp(`"${personalName}"[ \\t\\r\\n]*:[ \\t\\r\\n]*(?=")`, "gi");

/** The same if no name is written with escapes: only the members themselves are looked at, not all texts of megabytes. */
function maskNamed(json: string): string {
  let masked = "";
  let copied = 0;
  for (const { index, 0: name } of json.matchAll(personalMember)) {
    const start = index + name.length;
    const end = endOfText(json, start);
    masked += json.slice(copied, start) + JSON.stringify(maskEmail(textOf(json.slice(start, end))));
    copied = end;
  }
  return masked + json.slice(copied);
}

/** The position after the closing quote; the end if there is none, because a target's answer may be cut anywhere. */
function endOfText(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === "\\") at++;
    else if (json[at] === '"') return at + 1;
  }
  return json.length;
}

function afterBlanks(json: string, from: number): number {
  let at = from;
  while (at < json.length && " \t\r\n".includes(json[at] ?? "")) at++;
  return at;
}

function textOf(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1);
  }
}
