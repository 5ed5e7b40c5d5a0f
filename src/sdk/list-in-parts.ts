/** A long list that is handed over while it is made, a few records at a time: nobody has to hold all of it as objects. */
export class ListInParts {
  /** To be gone through once. */
  readonly parts: AsyncIterable<readonly unknown[]>;
  constructor(parts: AsyncIterable<readonly unknown[]>) {
    this.parts = parts;
  }
}

const defaultFew = 1_000;

/** A list as such where it is short; in parts where it is not. */
export async function listOrParts(
  parts: AsyncIterable<readonly unknown[]>,
  few = defaultFew,
): Promise<readonly unknown[] | ListInParts> {
  const list: unknown[] = [];
  const rest = parts[Symbol.asyncIterator]();
  for (let part = await rest.next(); !part.done; part = await rest.next()) {
    // Not spread into one call: a part may have more records than a call can have arguments.
    for (const record of part.value) list.push(record);
    if (list.length > few) return new ListInParts(together(list, rest));
  }
  return list;
}

async function* together(list: readonly unknown[], rest: AsyncIterator<readonly unknown[]>) {
  yield list;
  for (let part = await rest.next(); !part.done; part = await rest.next()) yield part.value;
}
