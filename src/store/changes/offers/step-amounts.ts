import type { UpdatedLine } from "../../../contract/schemas/confirm-step.ts";
import { recentValues } from "../../../kit/recent-values.ts";
import { pick } from "../../../kit/sqlite/row.ts";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import type { LedgerLine } from "../../ledger/ledger-line.ts";
import { filled, type LineNames, lineKey, sameLine } from "../../ledger/line-ref.ts";
import { lastModelRow } from "../../store-rows.ts";
import { baseFactor, memberIndex, type OrderGroup, scaleOf } from "../order-group.ts";

/** The amounts of an order's line after a step was booked, in base units. */
export interface LineAmounts {
  readonly line: string;
  readonly wanted: number | null;
  readonly shown: number | null;
  readonly picked: number;
  /** The amount the answer asked the platform to lower it to; null when it asked for nothing. */
  readonly offered: number | null;
}

export interface StepAmountsTable {
  readonly add: (orderNumber: string, entryId: string, lines: readonly LineAmounts[]) => void;
}

/** How many steps of one order are kept: nobody reads a longer history. */
const maxSteps = 200;

export function openStepAmounts(database: Database): StepAmountsTable {
  const insert = database.statement("INSERT INTO step_amounts (order_number, entry_id, lines) VALUES (?, ?, ?)");
  const trim = database.statement(
    `DELETE FROM step_amounts WHERE order_number = ? AND id <= (
      SELECT id FROM step_amounts WHERE order_number = ? ORDER BY id DESC LIMIT 1 OFFSET ${maxSteps})`,
  );
  return {
    add: (orderNumber, entryId, lines) => {
      insert.run(orderNumber, entryId, JSON.stringify(lines));
      trim.run(orderNumber, orderNumber);
    },
  };
}

/** Returns the amounts of an order's lines after a step, with what the answer asks for. */
export function amountsAtStep(
  group: OrderGroup,
  orderNumber: string,
  lowered: ReadonlyMap<number, number>,
): LineAmounts[] {
  const index = memberIndex(group, orderNumber);
  return group.lines.flatMap((line) =>
    (line.facts.members[index]?.rows ?? []).map((row, place): LineAmounts => {
      const ledgerLine = line.ledgerLines[index]?.[place];
      const asked = ledgerLine === undefined ? undefined : lowered.get(ledgerLine.position);
      return {
        line:
          line.externalId ?? ([line.itemNumber, line.lot].filter((name) => name !== null).join(" lot ") || line.key),
        wanted: line.facts.wanted,
        shown: row.shown,
        picked: row.picked,
        offered: ledgerLine === undefined || asked === undefined ? null : asked * scaleOf(ledgerLine, baseFactor(line)),
      };
    }),
  );
}

/**
 * The latest model of each order without changes. While the platform shows the same, this costs one write per order and
 * none per step. If the order changes later, what the platform has is known at once.
 */
export interface LastModels {
  readonly keep: (orderNumber: string, lines: readonly UpdatedLine[]) => void;
  /**
   * Called for a step without a model. If its id was not shown before, the order was fetched again and the stored line
   * is dropped.
   */
  readonly dropOld: (orderNumber: string, step: Pick<LedgerLine, "requestId" | keyof LineNames>) => void;
  /** Returns the model and removes it: once the order has a change, its ledger lines know more. */
  readonly drain: (orderNumber: string) => readonly UpdatedLine[];
  /** Called after a rollback: what was kept last may not be stored. */
  readonly forget: () => void;
}

const linesRow = pick(lastModelRow, "lines");

/** More orders than are ever picked at once. */
const rememberedModels = 10_000;

export function openLastModels(database: Database): LastModels {
  const save = database.statement(
    "INSERT INTO last_model (order_number, lines) VALUES (?, ?) ON CONFLICT DO UPDATE SET lines = excluded.lines",
  );
  const select = database.query("SELECT lines FROM last_model WHERE order_number = ?", linesRow);
  const remove = database.statement("DELETE FROM last_model WHERE order_number = ?");
  const recent = recentValues<readonly KeptLine[]>(rememberedModels);
  const stored = (orderNumber: string): readonly UpdatedLine[] => {
    const row = select.get(orderNumber);
    // `keep` and `dropOld` below wrote it, with absent members left out.
    return row === undefined ? [] : (JSON.parse(row.lines) as UpdatedLine[]);
  };
  return {
    keep: (orderNumber, lines) => {
      const known = recent.get(orderNumber) ?? stored(orderNumber);
      // Compared member by member: writing the lines as JSON at every step costs more than booking the step.
      const kept = areSame(known, lines) ? known : withLines(known, lines);
      recent.set(orderNumber, kept);
      if (kept !== known && !areSame(known, kept)) save.run(orderNumber, JSON.stringify(kept));
    },
    dropOld: (orderNumber, step) => {
      const known = recent.get(orderNumber) ?? stored(orderNumber);
      const own = known.filter((line) => sameLine(namesOfKept(line), step));
      // Among several lines that cannot be told apart, nobody knows which one was fetched again.
      if (own.length !== 1 || known.some(({ requestId }) => requestId === step.requestId)) return;
      const kept = known.filter((line) => line !== own[0]);
      save.run(orderNumber, JSON.stringify(kept));
      recent.set(orderNumber, kept);
    },
    drain: (orderNumber) => {
      const lines = stored(orderNumber);
      if (lines.length > 0) remove.run(orderNumber);
      recent.delete(orderNumber);
      return lines;
    },
    forget: recent.clear,
  };
}

type KeptLine = { readonly [Member in (typeof keptMembers)[number]]?: UpdatedLine[Member] | undefined };

/** The members that identify a line and its amount. The others go back to the platform and are never read here. */
const keptMembers = [
  ...(["requestId", "externalIdentifier", "itemNumber", "lotNumber", "itemUnitOfMeasure"] as const),
  ...(["requestedAmount", "isCancelled"] as const),
];

/** Copies only the kept members. Absent members stay absent. */
const keptLine = (line: KeptLine): KeptLine => ({
  requestId: line.requestId,
  externalIdentifier: line.externalIdentifier,
  itemNumber: line.itemNumber,
  lotNumber: line.lotNumber,
  itemUnitOfMeasure: line.itemUnitOfMeasure,
  requestedAmount: line.requestedAmount,
  isCancelled: line.isCancelled,
});

/** Merges a new model into the stored lines. Lines that it does not list keep what was shown before. */
function withLines(known: readonly KeptLine[], lines: readonly UpdatedLine[]): readonly KeptLine[] {
  const byId = new Map(lines.map((line) => [line.requestId, line]));
  const names = new Set(lines.map(nameOf));
  // A line listed under another id was fetched again: its old entry is dropped.
  const before = known.filter((line) => byId.has(line.requestId) || !names.has(nameOf(line)));
  const ids = new Set(before.map(({ requestId }) => requestId));
  return [
    ...before.map((line) => keptLine(byId.get(line.requestId) ?? line)),
    ...lines.filter(({ requestId }) => !ids.has(requestId)).map(keptLine),
  ];
}

const namesOfKept = (line: KeptLine): LineNames => ({
  externalId: filled(line.externalIdentifier),
  itemNumber: filled(line.itemNumber),
  lot: filled(line.lotNumber),
});

const nameOf = (line: KeptLine): string => lineKey(namesOfKept(line));

const areSame = (known: readonly KeptLine[], lines: readonly KeptLine[]): boolean =>
  known.length === lines.length && known.every((line, index) => isSameLine(line, lines[index]));

const isSameLine = (kept: KeptLine, line: KeptLine | undefined): boolean =>
  line !== undefined && keptMembers.every((member) => kept[member] === line[member]);
