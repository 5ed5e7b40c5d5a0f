/** The names of all objects that are open at one place of a document. */
export interface MemberNames {
  /** Forgets everything. */
  readonly begin: () => void;
  readonly openObject: () => void;
  readonly closeObject: () => void;
  /**
   * Whether the innermost object already has a name with this hash that `isSame` accepts. If not, the name is added.
   */
  readonly hasOrAdd: (hash: number, start: number, end: number) => boolean;
}

type IsSame = (start: number, end: number, otherStart: number, otherEnd: number) => boolean;

const stride = 3;
/** Up to this many names, a linear search is faster than a table. */
const fewNames = 16;
/** A larger table is not kept after a body: its memory would never be released. */
const maxKept = 16_384 * stride;

export function memberNames(isSame: IsSame): MemberNames {
  /** Hash, start and end of every name; those of the innermost object are last. */
  let names = new Int32Array(64 * stride);
  let length = 0;
  /** Where the names of each open object begin. */
  let begins: number[] = [];
  let begin = 0;
  /** The names of open objects with many members: hash to index. */
  let tables: (Map<number, number[]> | null)[] = [];

  const isAt = (at: number, start: number, end: number) => isSame(names[at + 1] ?? 0, names[at + 2] ?? 0, start, end);

  const table = () => {
    const depth = begins.length;
    let known = tables[depth];
    if (known === undefined || known === null) {
      known = new Map();
      for (let at = begin; at < length; at += stride) put(known, names[at] ?? 0, at);
      tables[depth] = known;
    }
    return known;
  };

  const add = (hash: number, start: number, end: number) => {
    if (length === names.length) {
      const grown = new Int32Array(length * 2);
      grown.set(names);
      names = grown;
    }
    names[length] = hash;
    names[length + 1] = start;
    names[length + 2] = end;
    length += stride;
  };

  return {
    begin: () => {
      if (names.length > maxKept) names = new Int32Array(64 * stride);
      length = 0;
      begin = 0;
      begins = [];
      tables = [];
    },
    openObject: () => {
      begins.push(begin);
      begin = length;
    },
    closeObject: () => {
      tables[begins.length] = null;
      length = begin;
      begin = begins.pop() ?? 0;
    },
    hasOrAdd: (hash, start, end) => {
      if (length - begin <= fewNames * stride) {
        for (let at = begin; at < length; at += stride) {
          if (names[at] === hash && isAt(at, start, end)) return true;
        }
      } else {
        const known = table();
        if (known.get(hash)?.some((at) => isAt(at, start, end))) return true;
        put(known, hash, length);
      }
      add(hash, start, end);
      return false;
    },
  };
}

function put(table: Map<number, number[]>, hash: number, at: number): void {
  const known = table.get(hash);
  if (known === undefined) table.set(hash, [at]);
  else known.push(at);
}
