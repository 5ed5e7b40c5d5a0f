/** A part of a text, and what replaces it. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns the text with all parts replaced; null if two of them overlap. */
export function withSplices(text: string, splices: readonly Splice[]): string | null {
  const pieces: string[] = [];
  let copied = 0;
  for (const { start, end, text: written } of splices.toSorted((a, b) => a.start - b.start)) {
    if (start < copied) return null;
    pieces.push(text.slice(copied, start), written);
    copied = end;
  }
  pieces.push(text.slice(copied));
  return pieces.join("");
}

/** Where the line begins that a place is in. */
export const lineStartBefore = (text: string, place: number): number =>
  place === 0 ? 0 : text.lastIndexOf("\n", place - 1) + 1;

/** Where the line ends, without its line break, in which something ends. */
export function lineEndBehind(text: string, end: number): number {
  // The range of a block ends after its last line break.
  const last = text[end - 1] === "\n" ? end - 1 : text.indexOf("\n", end);
  return last < 0 ? text.length : last;
}
