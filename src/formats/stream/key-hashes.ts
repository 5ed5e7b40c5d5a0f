/** This many keys take 80 MB while they are compared. */
const mostKeys = 10_000_000;
const chunkLength = 1 << 18;
/** Limit of records that are held until the end of the file. */
const mostApart = 200_000;

/** Tells whether the rows of a key may not be adjacent: then its record is complete only at the end of the file. */
export interface ApartKeys {
  readonly has: (key: string) => boolean;
}

/**
 * Finds keys that occur more than once in a long list, with eight bytes per key. A hash collision is harmless: it only
 * delays a record.
 */
export class KeyHashes {
  readonly #chunks: Float64Array[] = [];
  #count = 0;

  add(key: string): void {
    const at = this.#count % chunkLength;
    if (at === 0) this.#chunks.push(new Float64Array(chunkLength));
    const chunk = this.#chunks.at(-1);
    if (chunk !== undefined) chunk[at] = keyHash(key);
    this.#count++;
  }

  get isFull(): boolean {
    return this.#count >= mostKeys;
  }

  /** The keys that were added more than once; null if there are too many. */
  repeated(): ApartKeys | null {
    const all = new Float64Array(this.#count);
    for (let at = 0; at < this.#count; at += chunkLength) {
      all.set(this.#chunks.shift()?.subarray(0, this.#count - at) ?? [], at);
    }
    all.sort();
    const found = new Set<number>();
    for (let at = 1; at < all.length; at++) {
      const hash = all[at] ?? 0;
      if (hash === all[at - 1]) found.add(hash);
      if (found.size > mostApart) return null;
    }
    return { has: (key) => found.size > 0 && found.has(keyHash(key)) };
  }
}

/** A 53-bit hash of a text: two multiplicative hashes combined. */
function keyHash(key: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < key.length; at++) {
    const code = key.charCodeAt(at);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0);
}
