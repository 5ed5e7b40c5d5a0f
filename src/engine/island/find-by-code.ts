import { fold } from "./known-list.ts";
import type { CodeField, LastKnown, ListedOrder } from "./last-known.ts";

/** Where a scanned code may stand, the most telling one first; as in the adapter's own system. */
const scanFields: readonly CodeField[] = ["number", "alternativeStartNumber", "externalIdentifier"];
const putWallFields: readonly CodeField[] = ["deliveryNumber", "alternativeStartNumber", "number"];

export interface Candidate {
  readonly order: ListedOrder;
  /** Whether it can be done in the storage where the scan happened. */
  readonly fits: boolean;
}

/** The order that a scan means: the storage counts for more than the spelling, the spelling for more than the field. */
export function bestByCode(known: Pick<LastKnown, "listedBy">, code: string, storage: string): Candidate | null {
  const wanted = code.trim();
  if (wanted === "") return null;
  let best: (Candidate & { readonly rank: number }) | null = null;
  for (const field of scanFields) {
    for (const order of known.listedBy(field, wanted)) {
      const own = order.workOrder.designatedStorageName;
      const fits = !own || storage.trim() === "" || fold(own) === fold(storage);
      const rank = (fits ? 2 : 0) + (order.workOrder[field] === wanted ? 1 : 0);
      if (best === null || rank > best.rank) best = { order, fits, rank };
    }
  }
  return best;
}

/** The orders behind the code of a batch or tote. Which container belongs to which order the list does not say. */
export function putWallByCode(known: Pick<LastKnown, "listedBy">, code: string): readonly ListedOrder[] {
  const wanted = code.trim();
  if (wanted === "") return [];
  for (const field of putWallFields) {
    const found = known.listedBy(field, wanted);
    const exact = found.filter(({ workOrder }) => workOrder[field] === wanted);
    if (found.length > 0) return exact.length > 0 ? exact : found;
  }
  return [];
}
