/** Calls with the same key that are under way at the same time are one call, and all get its answer. */
export function coalesce<Answer>(): (key: string, call: () => Promise<Answer>) => Promise<Answer> {
  const underWay = new Map<string, Promise<Answer>>();
  return (key, call) => {
    const known = underWay.get(key);
    if (known !== undefined) return known;
    const begun = call().finally(() => underWay.delete(key));
    underWay.set(key, begun);
    return begun;
  };
}
