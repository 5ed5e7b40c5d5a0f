import type { OrderExplanation } from "./order-books.ts";

/** The reconciliation of an order as a page to read: for each line what is wanted, shown and picked, and what follows. */
export function explanationText({ order, orders, lines }: OrderExplanation): string {
  const heads = orders.map(({ number, state }) => `${number} (${state})`).join(", ");
  const page = [`Order ${order}: ${heads}`];
  for (const line of lines) page.push("", ...lineText(line));
  if (lines.length === 0) page.push("", "No line of it is known.");
  return page.join("\n");
}

function lineText(line: OrderExplanation["lines"][number]): string[] {
  const { wanted, unit, factor, cut, picked, tooMuch, itemNumber } = line;
  const name = itemNumber === null || itemNumber === line.line ? line.line : `${line.line} (${itemNumber})`;
  const rows = [
    `Line ${name}`,
    `  wanted     ${wanted === null ? "nothing was said" : `${wanted} ${unit}`}${unitNote(wanted, unit, factor)}`,
    `  picked     ${picked}`,
  ];
  if (cut > 0) rows.push(`  cut short  ${cut} on the floor; not asked for again`);
  if (tooMuch !== null && tooMuch > 0) rows.push(`  too much   ${tooMuch}; the operator is told to put it aside`);
  const [first, ...others] = line.orders;
  if (first !== undefined) rows.push(orderText(first));
  for (const other of others.filter(({ shown, picked: own, target }) => (shown ?? 0) + own + (target ?? 0) > 0)) {
    rows.push(orderText(other));
  }
  return rows;
}

function unitNote(wanted: number | null, unit: string, factor: number | null): string {
  if (wanted === null || unit === "Piece") return "";
  return factor === null
    ? ", base unit in doubt: nothing is offered"
    : `, ${wanted * factor} in the base unit (× ${factor})`;
}

function orderText({ number, shown, picked, target }: OrderExplanation["lines"][number]["orders"][number]): string {
  const sees = shown === null ? "has not shown it yet" : `shows ${shown}`;
  const aim = target === null ? "no amount can be said" : `is to have ${target}`;
  return `  ${number}: the platform ${sees}, ${picked} picked, ${aim}`;
}
