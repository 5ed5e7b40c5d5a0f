const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const openBracket = 0x5b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;
const minus = 0x2d;
const plus = 0x2b;
const point = 0x2e;
const zero = 0x30;

/** What may come next. */
type Next = "value" | "value-or-end" | "name" | "name-or-end" | "colon" | "comma-or-end";

/**
 * Returns the index of the character at which a text stops being JSON: its length if it ends too early, null if it is
 * JSON. Needed because the error of `JSON.parse` names a position only for some mistakes. It reads the whole text
 * again, so it is called only for a text that is known to be wrong.
 */
export function jsonErrorAt(text: string): number | null {
  const lists: boolean[] = [];
  let next: Next = "value";
  let at = afterSpace(text, 0);
  for (;;) {
    if (next === "comma-or-end" && lists.length === 0) return at === text.length ? null : at;
    const code = text.charCodeAt(at);
    if ((next === "value" || next === "value-or-end") && !(next === "value-or-end" && code === closeBracket)) {
      if (code === openBrace || code === openBracket) {
        lists.push(code === openBracket);
        next = code === openBracket ? "value-or-end" : "name-or-end";
        at++;
      } else {
        const end = endOfPlainValue(text, at);
        if (end < 0) return ~end;
        next = "comma-or-end";
        at = end;
      }
    } else if (next === "colon") {
      if (code !== colon) return at;
      next = "value";
      at++;
    } else if (code === quote && (next === "name" || next === "name-or-end")) {
      const end = endOfText(text, at);
      if (end < 0) return ~end;
      next = "colon";
      at = end;
    } else if (next === "comma-or-end" && code === comma) {
      next = lists.at(-1) === true ? "value" : "name";
      at++;
    } else {
      if (next === "name" || code !== (lists.at(-1) === true ? closeBracket : closeBrace)) return at;
      lists.pop();
      next = "comma-or-end";
      at++;
    }
    at = afterSpace(text, at);
  }
}

/** Returns the index after a string, a number or a word; ~index of the mistake if there is one. */
function endOfPlainValue(text: string, start: number): number {
  const code = text.charCodeAt(start);
  if (code === quote) return endOfText(text, start);
  if (code === minus || isDigit(code)) return endOfNumber(text, start);
  const word = ["true", "false", "null"].find((one) => one.charCodeAt(0) === code);
  if (word === undefined) return ~start;
  for (let index = 1; index < word.length; index++) {
    if (text.charCodeAt(start + index) !== word.charCodeAt(index)) return ~(start + index);
  }
  return start + word.length;
}

function endOfNumber(text: string, start: number): number {
  let at = text.charCodeAt(start) === minus ? start + 1 : start;
  if (text.charCodeAt(at) === zero) at++;
  else {
    const end = afterDigits(text, at);
    if (end === at) return ~at;
    at = end;
  }
  if (text.charCodeAt(at) === point) {
    const end = afterDigits(text, at + 1);
    if (end === at + 1) return ~end;
    at = end;
  }
  if ((text.charCodeAt(at) | 0x20) !== 0x65) return at;
  const sign = text.charCodeAt(at + 1);
  const digits = sign === plus || sign === minus ? at + 2 : at + 1;
  const end = afterDigits(text, digits);
  return end === digits ? ~end : end;
}

/** Returns the index after the closing quote; ~index of the mistake if there is one. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code < 0x20) return ~at;
    if (code !== backslash) continue;
    at++;
    const sign = text[at];
    if (sign === undefined) break;
    if (sign !== "u") {
      if (!'"\\/bfnrt'.includes(sign)) return ~at;
      continue;
    }
    for (const last = at + 4; at < last; at++) if (!isHexDigit(text.charCodeAt(at + 1))) return ~(at + 1);
  }
  return ~text.length;
}

function afterDigits(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

function afterSpace(text: string, start: number): number {
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    // Space, tab, line feed and carriage return are the white space of JSON.
    if (code !== 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) return at;
    at++;
  }
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
const isHexDigit = (code: number) => isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);
