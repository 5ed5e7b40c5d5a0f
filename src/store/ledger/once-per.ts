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
