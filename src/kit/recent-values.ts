/**
 * A cache of recently used values in bounded memory: at most twice the given number of values, or twice the given
 * weight, with short keys only.
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
 * young one. A value that weighs more than everything that may be kept is not kept.
 */
export function recentValues<Value>(atMost: number, weightOf: (value: Value) => number = () => 1): RecentValues<Value> {
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();
  let youngWeight = 0;
  const leaveYoung = (key: string) => {
    const value = young.get(key);
    if (value === undefined) return;
    youngWeight -= weightOf(value);
    young.delete(key);
  };
  const set = (key: string, value: Value) => {
    if (key.length > longestKey) return;
    leaveYoung(key);
    const weight = weightOf(value);
    if (weight > atMost) {
      old.delete(key);
      return;
    }
    if (youngWeight + weight > atMost) {
      old = young;
      young = new Map();
      youngWeight = 0;
    }
    young.set(key, value);
    youngWeight += weight;
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
      leaveYoung(key);
      old.delete(key);
    },
    clear: () => {
      young.clear();
      old.clear();
      youngWeight = 0;
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
