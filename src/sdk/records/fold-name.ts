const simplified: Readonly<Record<string, string>> = { ß: "ss", ł: "l", ø: "o", æ: "a", œ: "o" };

/** Separators, signs, and the accents that normalisation split off; property classes would take long to compile. */
const signs = /[\t-\r -/:-@[-`{-¿ʰ-\u036f\u2000-\u2bff\u3000-\u303f]/g;

/**
 * What is left of a column name or unit when only its letters and digits count: `Fälligkeits-Datum`,
 * `FAELLIGKEITSDATUM` and `fälligkeitsdatum` are one. Ligatures are written out in half of all exports.
 */
export function foldName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[ßłøæœ]/g, (letter) => simplified[letter] ?? letter)
    .normalize("NFKD")
    .replace(signs, "")
    .replace(/([aou])e/g, "$1");
}
