import { limits } from "../limits.ts";

/** What each limit bounds, in words. A record, so that no limit stays without any. */
const meanings: Record<keyof typeof limits, readonly [what: string, unit: string]> = {
  identifierLength: ["an identifier: number, code, container, location, storage, lot, external id", "characters"],
  textLength: ["a name, a description or another text", "characters"],
  externalDataLength: ["external data, as the JSON string it is or becomes", "characters"],
  exportedDataLength: ["external data in a row to export", "characters"],
  indexableValueLength: ["an external indexable value", "characters"],
  imageLength: ["a pushed image", "characters of Base64"],
  members: ["one object, known and unknown ones", "members"],
  depth: ["a body", "levels"],
  linesPerOrder: ["an order, the model of a step, a relocated container", "lines"],
  namesPerItem: ["the names of an item", "elements"],
  containersPerPick: ["the containers of a pick", "elements"],
  unknownElements: ["a list that the contract does not know", "elements"],
  containersPerRelocation: ["the containers of a relocation", "elements"],
  ordersPerReport: ["the orders of a report", "elements"],
  itemsPerReport: ["the remaining requests of a report", "items"],
  rowsPerExport: ["the rows of an export", "elements"],
  elementsPerPush: ["a push", "elements"],
  integer: ["whole numbers (amounts, `order`), either side of 0", ""],
  id: ["ids of the platform (`requestId`, `id`)", ""],
  amount: ["all other numbers, either side of 0", ""],
};

/** All limits as a Markdown table. */
export function limitTable(): string {
  const lines = Object.entries(meanings).map(([name, [what, unit]]) => {
    const limit = limits[name as keyof typeof limits].toLocaleString("en");
    return `| ${what} | ${limit} ${unit}`.trimEnd().concat(" |");
  });
  return ["| Of | At most |", "|---|---|", ...lines].join("\n");
}
