const count = 1 << 13;
/**
 * Each column gets this many misses, more than there are remembered texts: otherwise a longer list of repeated texts
 * would look unique.
 */
const leastBenefit = -2 * count;

/**
 * Texts seen recently in a file: the same items, names and units repeat often and are decoded only once. They are found
 * by their bytes, so that a known text needs no new string.
 */
export class RecentTexts {
  #bytes: Uint8Array;
  readonly #texts: string[] = new Array<string>(count).fill("");
  /** Offset and length of each text in the file. */
  readonly #starts = new Int32Array(count);
  readonly #lengths = new Int32Array(count).fill(-1);
  /** Hits minus misses per column. Columns of unique values are soon skipped. */
  readonly #benefits: Int32Array;

  constructor(bytes: Uint8Array, columnCount: number) {
    this.#bytes = bytes;
    this.#benefits = new Int32Array(columnCount);
  }

  /** Called when the bytes were moved: earlier texts cannot be compared any more. */
  moveTo(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#lengths.fill(-1);
  }

  /** The text of these bytes, remembered or newly decoded. */
  get(column: number, start: number, end: number, make: (start: number, end: number) => string): string {
    const benefit = this.#benefits[column] ?? 0;
    if (benefit < leastBenefit) return make(start, end);
    const bytes = this.#bytes;
    const length = end - start;
    let hash = length;
    // Numbers and names differ most at their end.
    for (let at = length > 8 ? end - 8 : start; at < end; at++) hash = Math.imul(hash, 31) + (bytes[at] ?? 0);
    const slot = (hash ^ (hash >>> 13)) & (count - 1);
    if (this.#lengths[slot] === length) {
      const known = this.#starts[slot] ?? 0;
      let same = 0;
      while (same < length && bytes[start + same] === bytes[known + same]) same++;
      if (same === length) {
        this.#benefits[column] = Math.min(-leastBenefit, benefit + 1);
        return this.#texts[slot] ?? "";
      }
    }
    const text = make(start, end);
    this.#texts[slot] = text;
    this.#starts[slot] = start;
    this.#lengths[slot] = length;
    this.#benefits[column] = benefit - 1;
    return text;
  }
}
