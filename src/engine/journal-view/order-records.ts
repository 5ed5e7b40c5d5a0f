import type { OrderFinder } from "../../store/order-finder.ts";
import type { ChangeRecord } from "./timeline-event.ts";

/** The amounts of an order's line after a step was applied, in base units. */
export interface StepLine {
  readonly line: string;
  readonly wanted: number | null;
  readonly shown: number | null;
  readonly picked: number;
  readonly offered: number | null;
}

/** How the amounts of an order's lines were decided. Amounts are in base units unless stated otherwise. */
export interface OrderExplanation {
  readonly order: string;
  /** The order and its follow-ups. */
  readonly orders: readonly { readonly number: string; readonly state: string }[];
  readonly lines: readonly {
    readonly line: string;
    readonly itemNumber: string | null;
    /** In the line's own unit. */
    readonly wanted: number | null;
    readonly unit: string;
    readonly factor: number | null;
    readonly cut: number;
    readonly picked: number;
    readonly tooMuch: number;
    readonly orders: readonly {
      readonly number: string;
      readonly shown: number | null;
      readonly picked: number;
      readonly target: number | null;
    }[];
  }[];
}

/** What the embedded store knows of an order; a custom connector has no such data. */
export interface OrderRecords {
  /** Null if another system holds the orders. */
  readonly orders: OrderFinder | null;
  /** The changes the external system requested, and their results. */
  readonly changesOf: (orderNumber: string) => readonly ChangeRecord[];
  /**
   * Reads the amounts of a changed order after a step, by the id of the step's entry. All of them together may be a
   * hundred megabytes.
   */
  readonly amountsOf: (orderNumber: string) => ReadonlyMap<string, () => readonly StepLine[]>;
  /** The follow-up orders of an order, oldest first. */
  readonly followUpsOf: (orderNumber: string) => readonly string[];
  /** Null if the order is not known. */
  readonly explain: (orderNumber: string) => OrderExplanation | null;
  /** Orders being picked with a changed line whose unit is uncertain: the count, and some of them. */
  readonly doubtful: () => { readonly count: number; readonly orders: readonly string[] };
}

/** The reconciliation of an order as text: for each line what is wanted, shown and picked, and the result. */
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
  if (tooMuch > 0)
    rows.push(`  too much   ${tooMuch} over all lines of the item; the operator is told to put it aside`);
  const [first, ...others] = line.orders;
  if (first !== undefined) rows.push(orderText(first));
  for (const other of others.filter(({ shown, picked: own, target }) => (shown ?? 0) + own + (target ?? 0) > 0)) {
    rows.push(orderText(other));
  }
  return rows;
}

function unitNote(wanted: number | null, unit: string, factor: number | null): string {
  if (wanted === null || unit === "Piece") return "";
  if (factor === null) return ", base unit in doubt: nothing is offered";
  // Until the platform has shown an amount, nobody knows its base unit; the picked amount is then in the line's own
  // unit.
  return factor === 1 ? "" : `, ${wanted * factor} in the base unit (× ${factor})`;
}

function orderText({ number, shown, picked, target }: OrderExplanation["lines"][number]["orders"][number]): string {
  const shownText = shown === null ? "has not shown it yet" : `shows ${shown}`;
  const aim = target === null ? "no amount can be said" : `is to have ${target}`;
  return `  ${number}: the platform ${shownText}, ${picked} picked, ${aim}`;
}
