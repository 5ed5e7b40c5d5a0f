/**
 * Parses JSON like JSON.parse, but reads every name right. JSON.parse of V8 13.6 confuses two names of equal length
 * that follow the same members: after an object with the name `ab\`, it reads `"ab\u0063"` as `ab\` too, because it
 * compares the spelling with the name. Then a member is lost, or has the wrong name. Only names that are written with
 * an escape are concerned; a text that has one is parsed here.
 */
export function parseJson(text: string): unknown {
  // Throws if it is not JSON.
  if (!hasEscapedName(text)) return JSON.parse(text);
  JSON.parse(text);
  return builtValue(text);
}

const quote = 0x22;
const backslash = 0x5c;
const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** Whether the name of a member is written with an escape. Most texts have no backslash at all. */
function hasEscapedName(text: string): boolean {
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", at)) {
    at = endOfText(text, at) + 1;
    while (isSpace(text.charCodeAt(at))) at++;
    if (text[at] === ":") return true;
  }
  return false;
}

/** Where the string ends that is open at this place. */
function endOfText(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    if (code === backslash) at++;
  }
  return text.length;
}

/** The end of a number or of one of the words true, false and null. */
const notPlain = /[\s,\]}]|$/g;

/** Returns the value of a text that is known to be JSON. It needs no recursion, so no depth can be too great. */
function builtValue(text: string): unknown {
  const whole: unknown[] = [];
  const around: object[] = [];
  let current: object = whole;
  let name = "";
  let isNameNext = false;
  const add = (value: unknown) => {
    if (Array.isArray(current)) current.push(value);
    // A member named __proto__ is an ordinary one.
    else Object.defineProperty(current, name, { value, writable: true, enumerable: true, configurable: true });
  };
  const open = (value: object) => {
    add(value);
    around.push(current);
    current = value;
    isNameNext = !Array.isArray(value);
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === '"') {
      const end = endOfText(text, at + 1);
      const written = text.slice(at + 1, end);
      const value = written.includes("\\") ? String(JSON.parse(`"${written}"`)) : written;
      if (isNameNext) name = value;
      else add(value);
      isNameNext = false;
      at = end;
    } else if (character === "{") open({});
    else if (character === "[") open([]);
    else if (character === "}" || character === "]") {
      current = around.pop() ?? whole;
      isNameNext = false;
    } else if (character === ",") isNameNext = !Array.isArray(current);
    else if (character !== ":" && !isSpace(character.charCodeAt(0))) {
      notPlain.lastIndex = at;
      const end = notPlain.exec(text)?.index ?? text.length;
      add(JSON.parse(text.slice(at, end)));
      at = end - 1;
    }
  }
  return whole[0];
}
