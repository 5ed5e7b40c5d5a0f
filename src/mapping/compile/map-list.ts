import { setImmediate as nextTurn } from "node:timers/promises";
import type { Run } from "../run.ts";

/** Mapping this many elements takes about a millisecond. */
const elementsPerTurn = 250;

/**
 * Maps the elements of a list. A long list is filled later, a part in each turn of the event loop: an order may have
 * ten thousand lines, and other requests must not wait for all of them.
 */
export function mapList(
  list: readonly unknown[],
  run: Run,
  add: (mapped: unknown[], element: unknown, run: Run) => void,
): unknown[] {
  const mapped: unknown[] = [];
  if (list.length <= elementsPerTurn || !run.mayWait) {
    for (const element of list) add(mapped, element, run);
    return mapped;
  }
  // Copied, because the list positions have moved on when the elements are mapped.
  const then: Run = { ...run, records: [...run.records], indexes: [...run.indexes] };
  for (let from = 0; from < list.length; from += elementsPerTurn) {
    run.jobs.push(async () => {
      await nextTurn();
      for (const element of list.slice(from, from + elementsPerTurn)) add(mapped, element, then);
    });
  }
  return mapped;
}
