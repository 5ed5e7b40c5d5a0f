export type DecimalSign = "." | ",";

const patterns: Readonly<Record<DecimalSign, RegExp>> = {
  ".": /^[+-]?(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)?(?:\.\d+)?$/,
  ",": /^[+-]?(?:[1-9]\d{0,2}(?:\.\d{3})+|\d+)?(?:,\d+)?$/,
};
const groupSpaces = /(?<=\d)[ \u00a0\u202f'’](?=\d{3}(?!\d))/g;

/** Reads a number as people write it under one decimal sign, with or without thousands; null where it is none. */
export function readNumber(text: string, decimalSign: DecimalSign): number | null {
  const packed = text.replace(groupSpaces, "");
  if (!patterns[decimalSign].test(packed) || !/\d/.test(packed)) return null;
  const plain = decimalSign === "." ? packed.replaceAll(",", "") : packed.replaceAll(".", "").replace(",", ".");
  return Number(plain);
}
