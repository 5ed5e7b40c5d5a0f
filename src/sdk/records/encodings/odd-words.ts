/** What shows how a file is encoded: every byte beyond ASCII that it uses, and words with such bytes. */
export interface OddWords {
  /** By byte: whether the file has it. */
  readonly used: Uint8Array;
  /** Distinct words as they stand, one Latin-1 character per byte, with one character of context on either side. */
  readonly words: readonly string[];
}

const maxWords = 150;
const maxWordLength = 48;

const isWordByte = (byte: number) =>
  byte > 127 || (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || byte === 0x27;

/** Looks through the whole file: the one letter that decides may stand in its last row. */
export function oddWords(bytes: Buffer): OddWords {
  const used = new Uint8Array(256);
  const words = new Set<string>();
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 128) continue;
    used[byte] = 1;
    if (words.size >= maxWords) continue;
    const start = wordStart(bytes, at);
    const end = wordEnd(bytes, at);
    for (let inWord = at; inWord < end; inWord++) used[bytes[inWord] ?? 0] = 1;
    words.add(bytes.toString("latin1", Math.max(0, start - 1), Math.min(bytes.length, end + 1)));
    at = end - 1;
  }
  return { used: used.fill(0, 0, 128), words: [...words] };
}

function wordStart(bytes: Buffer, at: number): number {
  const first = Math.max(0, at - maxWordLength);
  let start = at;
  while (start > first && isWordByte(bytes[start - 1] ?? 0)) start--;
  return start;
}

function wordEnd(bytes: Buffer, at: number): number {
  const last = Math.min(bytes.length, at + maxWordLength);
  let end = at + 1;
  while (end < last && isWordByte(bytes[end] ?? 0)) end++;
  return end;
}
