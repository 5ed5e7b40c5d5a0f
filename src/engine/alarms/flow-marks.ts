import type { Clock } from "../../kit/clock.ts";
import type { AlarmFile } from "./open-alarm-file.ts";

/** When something of a kind was seen last: an order of a sender, a request of the platform, a delivery. */
export interface FlowMarks {
  /** Called with every request: two look-ups and no text is made. */
  readonly seen: (flow: string, of: string) => void;
  /** When it was last seen, of this one or of anybody; null where never. */
  readonly last: (flow: string, of?: string) => number | null;
  /** Since when anybody looks for it: what was never seen is missed from then on. */
  readonly watchedSince: (name: string) => number;
  /** Writes down what has changed since it was last called. */
  readonly flush: () => void;
}

/** More of one kind than any configuration names: what comes on top is still seen, as one. */
const mostPerFlow = 500;
const others = "(others)";
const watched = "(watched since)";

export function flowMarks({
  clock,
  file,
}: {
  readonly clock: Clock;
  readonly file: Pick<AlarmFile, "marks" | "storeMarks">;
}): FlowMarks {
  const flows = new Map<string, Map<string, number>>();
  const changed = new Map<string, Set<string>>();
  for (const [name, at] of file.marks()) {
    // Written below, and by nobody else.
    const [flow, of] = JSON.parse(name) as [string, string];
    ofFlow(flow).set(of, at);
  }

  function ofFlow(flow: string): Map<string, number> {
    let marks = flows.get(flow);
    if (marks === undefined) {
      marks = new Map();
      flows.set(flow, marks);
      changed.set(flow, new Set());
    }
    return marks;
  }

  const seen = (flow: string, of: string) => {
    const marks = ofFlow(flow);
    const name = marks.size < mostPerFlow || marks.has(of) ? of : others;
    marks.set(name, clock.now());
    changed.get(flow)?.add(name);
  };

  return {
    seen,
    last: (flow, of) => {
      const marks = flows.get(flow);
      if (marks === undefined || marks.size === 0) return null;
      return of === undefined ? Math.max(...marks.values()) : (marks.get(of) ?? null);
    },
    watchedSince: (name) => {
      const since = flows.get(watched)?.get(name);
      if (since !== undefined) return since;
      seen(watched, name);
      return clock.now();
    },
    flush: () => {
      const marks = [...changed].flatMap(([flow, names]) =>
        [...names].map((of) => [JSON.stringify([flow, of]), flows.get(flow)?.get(of) ?? 0] as const),
      );
      if (marks.length === 0) return;
      file.storeMarks(marks);
      for (const names of changed.values()) names.clear();
    },
  };
}
