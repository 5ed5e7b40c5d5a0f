/** What one statement may give in all, in characters and bytes: a few columns of images are large long before the rows are many. */
export const largestResult = 256 * 2 ** 20;

/** Roughly what a value takes; the few bytes of a number are counted as one. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  return value instanceof Uint8Array ? value.byteLength : 1;
}
