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
    const { chunk, last, start } = this.#room(text.length * 3);
    return this.#ended(last, start, chunk.write(text, start));
  }

  /** Adds a text of megabytes, which was written in turns. */
  addBytes(text: Buffer): number {
    const { chunk, last, start } = this.#room(text.length);
    return this.#ended(last, start, text.copy(chunk, start));
  }

  /** The chunk for a text of at most so many bytes. */
  #room(bytes: number): { readonly chunk: Buffer; readonly last: number; readonly start: number } {
    const most = bytes + this.#separator.length;
    const last = this.#chunks.length - 1;
    const chunk = this.#chunks[last];
    const start = this.#used[last] ?? 0;
    if (chunk !== undefined && chunk.length - start >= most) return { chunk, last, start };
    const added = Buffer.allocUnsafeSlow(Math.max(chunkBytes, most));
    return { chunk: added, last: this.#chunks.push(added) - 1, start: 0 };
  }

  /** Notes where a text was written, and returns its index. */
  #ended(last: number, start: number, length: number): number {
    const end = start + length;
    this.#used[last] = end + (this.#chunks[last]?.write(this.#separator, end) ?? 0);
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
    return this.bytesAt(index).toString();
  }

  /** The length of the text in bytes. */
  lengthAt(index: number): number {
    return this.#places[3 * index + 2] ?? 0;
  }

  /** The text in UTF-8, not copied. */
  bytesAt(index: number): Buffer {
    const [chunk = 0, start = 0, length = 0] = this.#places.subarray(3 * index, 3 * index + 3);
    return this.#chunks[chunk]?.subarray(start, start + length) ?? Buffer.alloc(0);
  }

  /** All texts with the separator between them, in chunks that start and end with a complete text. */
  *pieces(): Generator<Uint8Array> {
    for (const [index, chunk] of this.#chunks.entries()) {
      yield chunk.subarray(0, (this.#used[index] ?? 0) - this.#separator.length);
    }
  }
}
