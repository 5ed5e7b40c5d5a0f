import type { Wait } from "../floor/ledger.ts";

/** The times from a kill or power cut until the service served again. */
export interface HardEnds {
  readonly list: readonly Wait[];
  /** Called at a kill or power cut, even if the service did not serve yet. */
  readonly ended: () => void;
  readonly serves: () => void;
}

export function openHardEnds(): HardEnds {
  const list: { readonly from: number; to: number }[] = [];
  return {
    list,
    ended: () => list.push({ from: Date.now(), to: Number.POSITIVE_INFINITY }),
    serves: () => {
      for (let at = list.length - 1; list[at]?.to === Number.POSITIVE_INFINITY; at--) {
        const end = list[at];
        if (end !== undefined) end.to = Date.now();
      }
    },
  };
}
