import { hash } from "node:crypto";

/** Small at first, because most pushes have one order. */
const firstSize = 1 << 6;
/** Above this load factor, finding a free place takes long. */
const mostFull = 0.7;

/**
 * Keeps a hash of each number and of its content in 20 bytes, 24 with its position. For a file or a push with millions
 * of orders, the numbers themselves would fill the memory. With 84 bits of hash, no two numbers of a file collide in
 * practice.
 */
export class ContentByNumber {
  #keys = new Float64Array(firstSize);
  #moreKeys = new Uint32Array(firstSize);
  #contents = new Float64Array(firstSize);
  /** Null while no position was given: a file with millions of orders does not need them. */
  #positions: Uint32Array<ArrayBuffer> | null = null;
  #count = 0;

  /** The position of the first record of this number if its content was different; null otherwise. */
  contradicted(number: string, content: string, position?: number): number | null {
    if (position !== undefined) this.#positions ??= new Uint32Array(this.#keys.length);
    if (this.#count >= this.#keys.length * mostFull) this.#grow();
    const [key, more] = hashOf(number);
    const [contentHash] = hashOf(content);
    const at = this.#place(key, more);
    if (this.#keys[at] !== 0) return this.#contents[at] === contentHash ? null : (this.#positions?.[at] ?? 0);
    this.#put(at, key, more, contentHash, position ?? 0);
    this.#count++;
    return null;
  }

  /**
   * Frees the memory at once: for a million orders it is 40 MB, which would otherwise wait for the garbage collector.
   */
  release(): void {
    const tables = [this.#keys, this.#moreKeys, this.#contents, ...(this.#positions === null ? [] : [this.#positions])];
    for (const { buffer } of tables) buffer.transfer(0);
    this.#keys = new Float64Array(firstSize);
    this.#moreKeys = new Uint32Array(firstSize);
    this.#contents = new Float64Array(firstSize);
    this.#positions = null;
    this.#count = 0;
  }

  #put(at: number, key: number, more: number, contentHash: number, position: number): void {
    this.#keys[at] = key;
    this.#moreKeys[at] = more;
    this.#contents[at] = contentHash;
    if (this.#positions !== null) this.#positions[at] = position;
  }

  /** Returns the place of the key, or the free place where the key belongs. */
  #place(key: number, more: number): number {
    const mask = this.#keys.length - 1;
    let at = more & mask;
    while (this.#keys[at] !== 0 && (this.#keys[at] !== key || this.#moreKeys[at] !== more)) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const [keys, moreKeys, contents, positions] = [this.#keys, this.#moreKeys, this.#contents, this.#positions];
    this.#keys = new Float64Array(keys.length * 2);
    this.#moreKeys = new Uint32Array(keys.length * 2);
    this.#contents = new Float64Array(keys.length * 2);
    this.#positions = positions === null ? null : new Uint32Array(keys.length * 2);
    for (const [index, key] of keys.entries()) {
      const more = moreKeys[index] ?? 0;
      if (key !== 0) this.#put(this.#place(key, more), key, more, contents[index] ?? 0, positions?.[index] ?? 0);
    }
  }
}

/** Returns 52 and 32 bits of a hash. The first value is never 0, which marks a free place. */
function hashOf(text: string): [number, number] {
  const digest = hash("sha256", text, "buffer");
  return [1 + digest.readUIntBE(0, 6) * 16 + (digest.readUInt8(6) & 15), digest.readUInt32BE(8)];
}
