import { TextArena } from "../../kit/text-arena.ts";

/** With 250 the same poll held 80 to 120 MB more; with 25 it held no less and was slower. */
const atOnce = 50;
/** A page up to this is handed over as it is. */
const fewRecords = 100;

/**
 * The records of a page, a few at a time. Those of a long one are kept as bytes until it is their turn: as objects they would outlive
 * the work on those before them, and the memory of the process would grow with the size of the page.
 */
export function inPortions(records: readonly unknown[]): Iterable<readonly unknown[]> {
  if (records.length === 0) return [];
  if (records.length <= fewRecords) return [records];
  const texts = new TextArena();
  // Every record came as JSON, and is JSON again.
  for (const record of records) texts.add(JSON.stringify(record));
  return portionsOf(texts);
}

function* portionsOf(texts: TextArena): Generator<readonly unknown[]> {
  try {
    for (let first = 0; first < texts.length; first += atOnce) {
      const portion: unknown[] = [];
      const end = Math.min(first + atOnce, texts.length);
      for (let index = first; index < end; index++) portion.push(JSON.parse(texts.at(index)));
      yield portion;
    }
  } finally {
    texts.free();
  }
}
