const chunkBytes = 2 ** 18;

/**
 * Keeps many texts as bytes outside the heap. As strings they would live long enough to move to the old generation of
 * the garbage collector, and the memory of the process would grow to several times their size.
 */
export class TextArena {
  readonly #separator: string;
  readonly #chunks: Buffer[] = [];
  /** Used bytes of each chunk. */
  readonly #used: number[] = [];
  /** Chunk, offset and length of each text. */
  #places = new Uint32Array(0);
  #count = 0;

  /** The separator follows each text, so that a chunk can be written as it is. */
  constructor(separator = "") {
    this.#separator = separator;
  }

  get length(): number {
    return this.#count;
  }

  /** Returns the index of the text: 0, 1, 2 … */
  add(text: string): number {
    // A character takes at most three bytes.
    const most = text.length * 3 + this.#separator.length;
    let last = this.#chunks.length - 1;
    let chunk = this.#chunks[last];
    let start = this.#used[last] ?? 0;
    if (chunk === undefined || chunk.length - start < most) {
      chunk = Buffer.allocUnsafeSlow(Math.max(chunkBytes, most));
      last = this.#chunks.push(chunk) - 1;
      start = 0;
    }
    const length = chunk.write(text, start);
    this.#used[last] = start + length + chunk.write(this.#separator, start + length);
    const index = this.#count++;
    if (3 * index >= this.#places.length) {
      const grown = new Uint32Array(Math.max(768, this.#places.length * 2));
      grown.set(this.#places);
      this.#places = grown;
    }
    this.#places.set([last, start, length], 3 * index);
    return index;
  }

  /** Releases the memory now instead of at the next garbage collection. Nothing can be read afterwards. */
  free(): void {
    for (const chunk of this.#chunks) if (chunk.buffer instanceof ArrayBuffer) chunk.buffer.transfer(0);
    this.#chunks.length = 0;
  }

  at(index: number): string {
    const [chunk = 0, start = 0, length = 0] = this.#places.subarray(3 * index, 3 * index + 3);
    return this.#chunks[chunk]?.toString("utf8", start, start + length) ?? "";
  }

  /** All texts with the separator between them, in chunks that start and end with a complete text. */
  *pieces(): Generator<Uint8Array> {
    for (const [index, chunk] of this.#chunks.entries()) {
      yield chunk.subarray(0, (this.#used[index] ?? 0) - this.#separator.length);
    }
  }
}
