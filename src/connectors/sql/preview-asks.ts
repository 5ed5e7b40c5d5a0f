import { Fault } from "../../sdk/fault.ts";
import type { Preview } from "../../sdk/preview.ts";
import type { Given } from "./bound-statement.ts";
import type { CompiledAsk } from "./compile-ask.ts";
import type { Row, RowLimit } from "./drivers/row-collector.ts";
import { type CompiledPoll, sincePlaces } from "./poll-source.ts";
import type { Records } from "./record-reader.ts";
import { sinceOf } from "./since-cursor.ts";
import { readPath } from "./statement/read-path.ts";

export interface PreviewNeeds {
  readonly asks: readonly CompiledAsk[];
  readonly polls: readonly CompiledPoll[];
  readonly ask: (ask: CompiledAsk, given: Given, limit: RowLimit) => Promise<Records>;
  readonly poll: (
    poll: CompiledPoll,
    since: string,
    reading: { readonly limit: RowLimit; readonly onRow: (row: Row) => void },
  ) => Promise<Records>;
}

/** Rows per record that are read at most: an order with more lines is shown with fewer. */
const rowsPerRecord = 50;

/** A few records of each question and poll. Questions about one order or item are asked about the first one found. */
export async function previewAsks(limit: number, { asks, polls, ask, poll }: PreviewNeeds): Promise<Preview[]> {
  const previews: Preview[] = [];
  const rows: RowLimit = { maxRows: limit * rowsPerRecord, onMore: "cut" };
  const show = async (one: CompiledAsk | CompiledPoll, serves: Preview["serves"], records: Records) => {
    for (const raw of Iterator.from(records).take(limit)) {
      const { value, problems } = await one.mapping.apply(raw);
      previews.push({ serves, raw, mapped: value, problems, sourceOf: one.mapping.sourceOf });
    }
  };
  for (const one of polls) {
    const places = sincePlaces(one);
    await show(one, one.options.topic, await poll(one, sinceOf(one.start, 0), { limit: rows, onRow: places.see }));
    const problem = places.problem();
    if (problem !== null) throw new Fault("invalid", `${one.options.topic}: ${problem}; correct since.column`);
  }
  for (const one of asks) if (one.id === "listWorkOrders") await show(one, one.id, await ask(one, {}, rows));

  const order = previews.find(({ serves }) => serves === "listWorkOrders" || serves === "workOrders")?.mapped;
  const item = previews.find(({ serves }) => serves === "items")?.mapped;
  const code = readPath(order, ["number"]);
  const itemNumber = readPath(item, ["number"]) ?? readPath(order, ["requests", "0", "itemNumber"]);
  for (const one of asks) {
    if (one.id === "findWorkOrderByCode" && code !== undefined) {
      await show(one, one.id, await ask(one, { Code: code, StorageName: null }, rows));
    }
    if (one.id === "findPutWallOrders" && code !== undefined) await show(one, one.id, await ask(one, { code }, rows));
    if (one.id === "getItem" && itemNumber !== undefined) {
      await show(one, one.id, await ask(one, { number: itemNumber }, rows));
    }
    if (one.id === "getExportColumns" || one.id === "getIndexableValueLabel") {
      await show(one, one.id, await ask(one, {}, rows));
    }
  }
  return previews;
}
