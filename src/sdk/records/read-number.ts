import { exactNumber } from "../../kit/exact-number.ts";

export type DecimalSign = "." | ",";

// Thousands behind nothing but zeros are none, so 0.250 has one meaning; 012.345 has two.
const patterns: Readonly<Record<DecimalSign, RegExp>> = {
  ".": /^[+-]?(?:(?!0+,)\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?$/,
  ",": /^[+-]?(?:(?!0+\.)\d{1,3}(?:\.\d{3})+|\d+)?(?:,\d+)?$/,
};
const groupSpaces = /(?<=\d)[ \u00a0\u202f'’](?=\d{3}(?!\d))/g;

/** Reads a number as people write it under one decimal sign, with or without thousands; null where it is none. */
export function readNumber(text: string, decimalSign: DecimalSign): number | null {
  const plain = plainDigits(text, decimalSign);
  return plain === null ? null : Number(plain);
}

/** The same, but with more digits than a number keeps it is a text: `1,0000000000000001` is not 1. */
export function readExactNumber(text: string, decimalSign: DecimalSign): number | string | null {
  const plain = plainDigits(text, decimalSign);
  return plain === null ? null : exactNumber(plain);
}

function plainDigits(text: string, decimalSign: DecimalSign): string | null {
  const packed = text.replace(groupSpaces, "");
  if (!patterns[decimalSign].test(packed) || !/\d/.test(packed)) return null;
  return decimalSign === "." ? packed.replaceAll(",", "") : packed.replaceAll(".", "").replace(",", ".");
}
