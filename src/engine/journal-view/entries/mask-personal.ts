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
    if (step.done === true) return step.value;
  }
}

/** Masks like `maskPersonal`. While a long text is searched, other requests run. */
export async function maskPersonalInTurns(json: string): Promise<string> {
  const steps = masking(json);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}

/**
 * Returns the masking for everything that belongs to an event: its operator may not be a mail address, and a mapping
 * may write it anywhere.
 */
export async function maskingFor(body: string): Promise<(text: string) => string> {
  const person = await operatorIn(body);
  // A shorter name would also be found within words.
  if (person.length < shortestName) return maskPersonal;
  const written = [...new Set([person, encodeURIComponent(person), JSON.stringify(person).slice(1, -1)])];
  const masked = maskEmail(person);
  return (text) => maskPersonal(written.reduce((rest, name) => rest.replaceAll(name, masked), text));
}

/** The first operator that a body names. Other requests run while a long body is searched. */
async function operatorIn(body: string): Promise<string> {
  for (let from = 0; from < body.length; from += turnCharacters) {
    if (from > 0) await nextTurn();
    for (const start of personalTexts(body, from, from + turnCharacters)) {
      return textOf(body.slice(start, endOfText(body, start)));
    }
  }
  return "";
}

const shortestName = 3;
const addressSign = /@|%40/gi;
const endsName = /[\s"'<>()[\]{},;:=&?/\\@]/;
const endsHost = /[^A-Za-z0-9.-]/;
/** A host needs a dot. Without one, the text may be anything, such as a price: `3@4`. */
const isHost = /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\.?$/;

/** This many characters are searched in about a millisecond. */
const turnCharacters = 64 * 1024;

function* masking(json: string): Generator<void, string> {
  // The name may be written with escapes; only then is the fast search not enough.
  const hasEscapes = yield* searching(json, "\\u");
  return yield* maskingAddresses(yield* hasEscapes ? maskingEscaped(json) : maskingNamed(json));
}

/** Whether a text contains another. In a text of backslashes, the search for an escape begins again at each of them. */
function* searching(text: string, wanted: string): Generator<void, boolean> {
  for (let from = 0; from < text.length; from += turnCharacters) {
    if (from > 0) yield;
    if (text.slice(from, from + turnCharacters + wanted.length - 1).includes(wanted)) return true;
  }
  return false;
}

/** Searches around every `@` or `%40`: a pattern that begins with any letters would try each letter of a long text. */
function* maskingAddresses(text: string): Generator<void, string> {
  const clean: string[] = [];
  let copied = 0;
  for (let begin = 0; begin < text.length; begin += turnCharacters) {
    if (begin > 0) yield;
    // A sign may begin in one piece and end in the next.
    const piece = text.slice(begin, begin + turnCharacters + longestSign - 1);
    for (const { index: place, 0: sign } of piece.matchAll(addressSign)) {
      const index = begin + place;
      if (place >= turnCharacters || index < copied) continue;
      let from = index;
      while (from > copied && index - from < 64 && !endsName.test(text[from - 1] ?? " ")) from--;
      let to = index + sign.length;
      while (to < text.length && to - index < 255 && !endsHost.test(text[to] ?? " ")) to++;
      if (from === index || !isHost.test(text.slice(index + sign.length, to))) continue;
      clean.push(text.slice(copied, from), maskEmail(text.slice(from, index)), text.slice(index, to));
      copied = to;
    }
  }
  return copied === 0 ? text : clean.join("") + text.slice(copied);
}
const longestSign = "%40".length;

/** Masks a text in which names may be written with escapes. It visits every text. */
function* maskingEscaped(json: string): Generator<void, string> {
  const masked: string[] = [];
  let copied = 0;
  let isPersonal = false;
  let turnAt = turnCharacters;
  for (let start = json.indexOf('"'); start >= 0; ) {
    let end = endOfText(json, start, turnAt);
    while (end < 0) {
      yield;
      turnAt = ~end + turnCharacters;
      end = endOfText(json, ~end - 1, turnAt);
    }
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
const personalMember = new RegExp(`"${personalName}"`, "gi");

/** Yields where the texts of personal members begin, of the members whose names begin between two places. */
function* personalTexts(json: string, from: number, to: number): Generator<number> {
  // A name may begin in one piece and end in the next.
  const piece = json.slice(from, to + personalName.length + 1);
  for (const { index, 0: name } of piece.matchAll(personalMember)) {
    if (from + index >= to) return;
    const colon = afterBlanks(json, from + index + name.length);
    const start = afterBlanks(json, colon + 1);
    if (json[colon] === ":" && json[start] === '"') yield start;
  }
}

/** Masks a text in which no name is written with escapes. It visits only the matching members instead of every text. */
function* maskingNamed(json: string): Generator<void, string> {
  const masked: string[] = [];
  let copied = 0;
  for (let from = 0; from < json.length; from += turnCharacters) {
    if (from > 0) yield;
    for (const start of personalTexts(json, from, from + turnCharacters)) {
      if (start < copied) continue;
      const end = endOfText(json, start);
      masked.push(json.slice(copied, start), JSON.stringify(maskEmail(textOf(json.slice(start, end)))));
      copied = end;
    }
  }
  return copied === 0 ? json : masked.join("") + json.slice(copied);
}

/**
 * Returns the position after the closing quote, or the end if there is none: a target's answer may be cut anywhere.
 * Returns ~at if the text does not end before `limit`; the search goes on after that place.
 */
function endOfText(json: string, start: number, limit = Infinity): number {
  let at = start + 1;
  for (; at < json.length; at++) {
    if (at >= limit) return ~at;
    const code = json.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === backslash) at++;
  }
  return json.length;
}
const quote = 0x22;
const backslash = 0x5c;

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
