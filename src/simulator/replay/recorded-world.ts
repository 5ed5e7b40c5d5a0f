import { operationIds } from "../../contract/operations.ts";
import type { RecordedCall } from "../record/recording.ts";
import { blankImage } from "../record/scrub-value.ts";

/** What the adapter of the recording knew, as far as its answers show it: pushed to the one that is tried. */
export interface RecordedWorld {
  readonly workOrders: readonly Members[];
  readonly items: readonly Members[];
}
type Members = Readonly<Record<string, unknown>>;

/** More than that nobody records in a day. */
const mostOrders = 100_000;
const shows = new Set<string>(
  operationIds.filter((id) => ["listWorkOrders", "findWorkOrderByCode", "findPutWallOrders"].includes(id)),
);

export async function recordedWorld(calls: AsyncIterable<RecordedCall>): Promise<RecordedWorld> {
  const workOrders = new Map<string, Members>();
  const items = new Map<string, Members>();
  const pictured = new Set<string>();
  for await (const { row, request, answer, path } of calls) {
    if ("push" in row) {
      // What comes later in the recording must not be there before.
      for (const one of elementsOf("json" in request ? request.json : null)) {
        const number = String(one["number"]);
        if (row.push === "workOrders" && !workOrders.has(number)) workOrders.set(number, {});
        if (row.push === "items" && !items.has(number)) items.set(number, {});
      }
      continue;
    }
    if (answer === null || !("json" in answer.body)) continue;
    const { data } = Object(answer.body.json ?? {});
    if (row.operation === "getItemImage" && data === blankImage) {
      pictured.add(decodeURIComponent(path.slice(path.lastIndexOf("/") + 1)));
    }
    if (!shows.has(row.operation) && row.operation !== "getItem") continue;
    const into = row.operation === "getItem" ? items : workOrders;
    for (const one of elementsOf(data)) {
      const number = String(one["number"]);
      if (!into.has(number) && into.size < mostOrders) into.set(number, one);
    }
  }
  for (const number of pictured) items.set(number, { number, ...items.get(number), image: blankImage });
  const filled = (all: ReadonlyMap<string, Members>) => [...all.values()].filter((one) => Object.keys(one).length > 1);
  return { workOrders: filled(workOrders), items: filled(items) };
}

function elementsOf(value: unknown): Members[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one): one is Members => typeof one === "object" && one !== null && "number" in one);
}
