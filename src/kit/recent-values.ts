/**
 * A cache of recently used values in bounded memory: at most twice the given number of values, with short keys only.
 */
export interface RecentValues<Value> {
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value) => void;
  readonly delete: (key: string) => void;
  readonly clear: () => void;
}

/** Longer keys are not cached: they are not real names, and many of them would fill the memory. */
const longestKey = 200;

/**
 * Uses two maps: when the young one is full, the old one is dropped. Values that were used meanwhile have moved to the
 * young one.
 */
export function recentValues<Value>(atMost: number): RecentValues<Value> {
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();
  const set = (key: string, value: Value) => {
    if (key.length > longestKey) return;
    if (young.size >= atMost) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  };
  return {
    get: (key) => {
      const value = young.get(key);
      if (value !== undefined) return value;
      const kept = old.get(key);
      if (kept !== undefined) set(key, kept);
      return kept;
    },
    set,
    delete: (key) => {
      young.delete(key);
      old.delete(key);
    },
    clear: () => {
      young.clear();
      old.clear();
    },
  };
}

/**
 * Finds something out about an object at most once, however often it is asked for. Only for objects that never change.
 * The result is forgotten together with the object.
 */
export function oncePer<Key extends WeakKey, Value>(find: (key: Key) => Value): (key: Key) => Value {
  const found = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    const known = found.get(key);
    if (known !== undefined) return known.value;
    const value = find(key);
    found.set(key, { value });
    return value;
  };
}
