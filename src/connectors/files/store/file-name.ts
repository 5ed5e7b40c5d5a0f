const longestNameBytes = 255;

/** Whether a name from a listing stays in its folder. A server may send anything for a name. */
export function isUsableName(name: string): boolean {
  if (name === "" || name === "." || name === "..") return false;
  // Node writes U+FFFD for bytes that are no UTF-8: under that name there is no file.
  return !/[/\\\0\uFFFD]/.test(name) && Buffer.byteLength(name) <= longestNameBytes;
}

/** A name as it may stand in a log, a reason file or on a terminal: line breaks and direction marks are written out. */
export function shownName(name: string): string {
  const short = name.length > 120 ? `${name.slice(0, 120)}…` : name;
  return short.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029\\"]/gu, (character) =>
    character === '"' || character === "\\"
      ? `\\${character}`
      : `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}}`,
  );
}

/** A value as a part of a file name: letters, digits and a few signs; the rest as %XX, so that two values stay two names. */
export function namePart(value: string): string {
  const written = value
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}._+@~-]/gu, (character) =>
      [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
    );
  // A leading dot hides a file, a leading dash is an option to every program that is given it.
  return written.replace(/^[.-]/, (sign) => (sign === "." ? "%2E" : "%2D"));
}

/** A name with something in front and behind, cut in the middle where file systems would refuse its length. */
export function extendedName(before: string, name: string, after = ""): string {
  const room = longestNameBytes - Buffer.byteLength(before) - Buffer.byteLength(after);
  return before + cutName(name, room) + after;
}

/** Keeps the end, where the extension and mostly the number are. */
function cutName(name: string, maxBytes: number): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const characters = [...name];
  let bytes = Buffer.byteLength(name);
  let from = 0;
  while (bytes > maxBytes && from < characters.length) bytes -= Buffer.byteLength(characters[from++] ?? "");
  return characters.slice(from).join("");
}
