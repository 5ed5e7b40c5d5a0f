/** A few at a time, read as they are asked for. */
export function* inPortions<Element>(all: Iterable<Element>, size: number): Generator<readonly Element[]> {
  let portion: Element[] = [];
  for (const element of all) {
    portion.push(element);
    if (portion.length < size) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}
