const simplified: Readonly<Record<string, string>> = { ß: "ss", ł: "l", ø: "o", æ: "a", œ: "o" };

/**
 * What is left of a column name or unit when only its letters and digits count: `Fälligkeits-Datum`,
 * `FAELLIGKEITSDATUM` and `fälligkeitsdatum` are one. Ligatures are written out in half of all exports.
 */
export function foldName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[ßłøæœ]/g, (letter) => simplified[letter] ?? letter)
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]/gu, "")
    .replace(/([aou])e/g, "$1");
}
