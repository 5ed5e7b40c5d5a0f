import { createHash } from "node:crypto";

const firstSize = 1 << 12;
/** Above this load factor, finding a free place takes long. */
const mostFull = 0.7;

/**
 * The content of the records per number, in twenty bytes each: for a file with millions of orders the numbers
 * themselves would fill the memory. With 84 bits of a hash, no two numbers of a file collide in practice.
 */
export class TwinTable {
  #keys = new Float64Array(firstSize);
  #moreKeys = new Uint32Array(firstSize);
  #contents = new Float64Array(firstSize);
  #count = 0;

  /** Whether another record of this number had different content; the first one is kept. */
  isContradicted(number: string, content: string): boolean {
    if (this.#count >= this.#keys.length * mostFull) this.#grow();
    const [key, more] = hashOf(number);
    const [said] = hashOf(content);
    const at = this.#place(key, more);
    if (this.#keys[at] !== 0) return this.#contents[at] !== said;
    this.#put(at, key, more, said);
    this.#count++;
    return false;
  }

  #put(at: number, key: number, more: number, said: number): void {
    this.#keys[at] = key;
    this.#moreKeys[at] = more;
    this.#contents[at] = said;
  }

  /** The place of the key, or the free place where it belongs. */
  #place(key: number, more: number): number {
    const mask = this.#keys.length - 1;
    let at = more & mask;
    while (this.#keys[at] !== 0 && (this.#keys[at] !== key || this.#moreKeys[at] !== more)) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const [keys, moreKeys, contents] = [this.#keys, this.#moreKeys, this.#contents];
    this.#keys = new Float64Array(keys.length * 2);
    this.#moreKeys = new Uint32Array(keys.length * 2);
    this.#contents = new Float64Array(keys.length * 2);
    for (const [index, key] of keys.entries()) {
      const more = moreKeys[index] ?? 0;
      if (key !== 0) this.#put(this.#place(key, more), key, more, contents[index] ?? 0);
    }
  }
}

/** 52 and 32 bits; the first is never 0, which marks a free place. */
function hashOf(text: string): [number, number] {
  const digest = createHash("sha256").update(text).digest();
  return [1 + digest.readUIntBE(0, 6) * 16 + (digest.readUInt8(6) & 15), digest.readUInt32BE(8)];
}
