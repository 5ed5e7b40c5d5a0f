import { setImmediate as nextTurn } from "node:timers/promises";

const personalName = "useremail";

/** Returns `j***@example.com`: enough to tell two people of a shift apart, too little to write to one. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  const [first = ""] = email;
  return at <= 0 ? `${first}***` : `${first}***${email.slice(at)}`;
}

/**
 * Masks every operator in a JSON text, at any depth, and every mail address in any text: a mapping may send an operator
 * under another name, and a target may repeat it in its answer. The text is changed in place. Parsing and serialising
 * it again would change long numbers, and the reader compares the text with what was sent.
 */
export function maskPersonal(json: string): string {
  const steps = masking(json);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return maskAddresses(step.value);
  }
}

/** Masks like `maskPersonal`. While a long text is searched, other requests run. */
export async function maskPersonalInTurns(json: string): Promise<string> {
  const steps = masking(json);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return maskAddresses(step.value);
    await nextTurn();
  }
}

/**
 * Returns the masking for everything that belongs to an event: its operator may not be a mail address, and a mapping
 * may write it anywhere.
 */
export function maskingFor(body: string): (text: string) => string {
  const [member] = body.matchAll(personalMember);
  const start = member === undefined ? -1 : member.index + member[0].length;
  const person = start < 0 ? "" : textOf(body.slice(start, endOfText(body, start)));
  // A shorter name would also be found within words.
  if (person.length < shortestName) return maskPersonal;
  const written = [...new Set([person, encodeURIComponent(person), JSON.stringify(person).slice(1, -1)])];
  const masked = maskEmail(person);
  return (text) => maskPersonal(written.reduce((rest, name) => rest.replaceAll(name, masked), text));
}

const shortestName = 3;
const addressSign = /@|%40/gi;
const endsName = /[\s"'<>()[\]{},;:=&?/\\@]/;
const endsHost = /[^A-Za-z0-9.-]/;
/** A host needs a dot. Without one, the text may be anything, such as a price: `3@4`. */
const isHost = /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\.?$/;

/** Searches around every `@` or `%40`: a pattern that begins with any letters would try each letter of a long text. */
function maskAddresses(text: string): string {
  let clean = "";
  let copied = 0;
  for (const { index, 0: sign } of text.matchAll(addressSign)) {
    let from = index;
    while (from > copied && index - from < 64 && !endsName.test(text[from - 1] ?? " ")) from--;
    let to = index + sign.length;
    while (to < text.length && to - index < 255 && !endsHost.test(text[to] ?? " ")) to++;
    if (from === index || !isHost.test(text.slice(index + sign.length, to))) continue;
    clean += `${text.slice(copied, from)}${maskEmail(text.slice(from, index))}${text.slice(index, to)}`;
    copied = to;
  }
  return clean + text.slice(copied);
}

/** This many characters are searched in about a millisecond. */
const turnCharacters = 64 * 1024;

function* masking(json: string): Generator<void, string> {
  // The name may be written with escapes; only then is the fast search not enough.
  if (!json.includes("\\u")) return yield* maskingNamed(json);
  const masked: string[] = [];
  let copied = 0;
  let isPersonal = false;
  let turnAt = turnCharacters;
  for (let start = json.indexOf('"'); start >= 0; ) {
    const end = endOfText(json, start);
    const next = afterBlanks(json, end);
    if (json[next] === ":") {
      isPersonal = isPersonalName(json.slice(start, end)) && json[afterBlanks(json, next + 1)] === '"';
    } else if (isPersonal) {
      masked.push(json.slice(copied, start), JSON.stringify(maskEmail(textOf(json.slice(start, end)))));
      copied = end;
      isPersonal = false;
    }
    start = json.indexOf('"', end);
    if (start < turnAt) continue;
    turnAt = start + turnCharacters;
    yield;
  }
  return masked.join("") + json.slice(copied);
}

/**
 * Compares the name of a member. A step of 10,000 lines has a hundred thousand names, so only those with escapes are
 * parsed.
 */
function isPersonalName(quoted: string): boolean {
  const name = quoted.includes("\\") ? textOf(quoted) : quoted.slice(1, -1);
  return name.length === personalName.length && name.toLowerCase() === personalName;
}

/** This matches only the name of a member, because quotes within a text are escaped. */
const personalMember = new RegExp(`"${personalName}"[ \\t\\r\\n]*:[ \\t\\r\\n]*(?=")`, "gi");

/** Masks a text in which no name is written with escapes. It visits only the matching members instead of every text. */
function* maskingNamed(json: string): Generator<void, string> {
  const masked: string[] = [];
  let copied = 0;
  for (const { index, 0: name } of json.matchAll(personalMember)) {
    const start = index + name.length;
    const end = endOfText(json, start);
    const isFar = index - copied >= turnCharacters;
    masked.push(json.slice(copied, start), JSON.stringify(maskEmail(textOf(json.slice(start, end)))));
    copied = end;
    if (isFar) yield;
  }
  return masked.join("") + json.slice(copied);
}

/** Returns the position after the closing quote, or the end if there is none: a target's answer may be cut anywhere. */
function endOfText(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let slashes = 0;
    while (json[at - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return at + 1;
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
