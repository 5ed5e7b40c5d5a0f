const maxShownLength = 60;
const maxShownCodes = 5;

/** A scanned code as an operator gets to see it. Path values may hold kilobytes; a device shows one line. */
export const shownCode = (code: string): string =>
  code.length > maxShownLength ? `${code.slice(0, maxShownLength)}…` : code;

/** An operator reads a line, not a thousand numbers. */
export function shownCodes(codes: readonly string[]): string {
  const first = codes.slice(0, maxShownCodes).map(shownCode).join(", ");
  return codes.length > maxShownCodes ? `${first}, …` : first;
}
