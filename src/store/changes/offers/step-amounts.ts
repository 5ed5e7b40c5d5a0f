import type { UpdatedLine } from "../../../contract/schemas/confirm-step.ts";
import { recentValues } from "../../../kit/recent-values.ts";
import { pick } from "../../../kit/sqlite/row.ts";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import type { LedgerLine } from "../../ledger/ledger-line.ts";
import { filled, type LineNames, lineKey, sameLine } from "../../ledger/line-sight.ts";
import { lastModelRow } from "../../store-rows.ts";
import { baseFactor, carrierIndex, type Family, scaleOf } from "../family.ts";

/** How a line of an order stood when a step had been booked, in base units. */
export interface LineAmounts {
  readonly line: string;
  readonly wanted: number | null;
  readonly shown: number | null;
  readonly picked: number;
  /** What the answer asked the platform to lower it to; null where it asked for nothing. */
  readonly offered: number | null;
}

export interface StepAmountsTable {
  readonly add: (orderNumber: string, entryId: string, lines: readonly LineAmounts[]) => void;
}

/** Steps of one order whose amounts are kept: a history longer than that is no longer read by anybody. */
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

/** The amounts of an order's lines side by side, with what the answer asks for. */
export function amountsAtStep(
  family: Family,
  orderNumber: string,
  lowered: ReadonlyMap<number, number>,
): LineAmounts[] {
  const index = carrierIndex(family, orderNumber);
  return family.lines.flatMap((line) =>
    (line.facts.carriers[index]?.rows ?? []).map((row, place): LineAmounts => {
      const account = line.accounts[index]?.[place];
      const asked = account === undefined ? undefined : lowered.get(account.position);
      return {
        line:
          line.externalId ?? ([line.itemNumber, line.lot].filter((name) => name !== null).join(" lot ") || line.key),
        wanted: line.facts.wanted,
        shown: row.shown,
        picked: row.picked,
        offered: account === undefined || asked === undefined ? null : asked * scaleOf(account, baseFactor(line)),
      };
    }),
  );
}

/**
 * The latest model of each order that is not under change. It costs one write per order and none per step, as long as the
 * platform shows the same; should the order change, what the platform has is known at once.
 */
export interface LastModels {
  readonly keep: (orderNumber: string, lines: readonly UpdatedLine[]) => void;
  /** A step without a model under an id that was not shown: the order was fetched again, and what was shown of its line is old. */
  readonly dropOld: (orderNumber: string, step: Pick<LedgerLine, "requestId" | keyof LineNames>) => void;
  /** Once the order is under change its accounts know more. */
  readonly take: (orderNumber: string) => readonly UpdatedLine[];
  /** After a rollback: what was kept last may not be stored. */
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
    // Written below, where members that are absent are left out.
    return row === undefined ? [] : (JSON.parse(row.lines) as UpdatedLine[]);
  };
  return {
    keep: (orderNumber, lines) => {
      const known = recent.get(orderNumber) ?? stored(orderNumber);
      // Compared member by member: writing the lines as JSON at every step costs more than booking it.
      const kept = areSame(known, lines) ? known : withLines(known, lines);
      recent.set(orderNumber, kept);
      if (kept !== known && !areSame(known, kept)) save.run(orderNumber, JSON.stringify(kept));
    },
    dropOld: (orderNumber, step) => {
      const known = recent.get(orderNumber) ?? stored(orderNumber);
      const own = known.filter((line) => sameLine(namesOfKept(line), step));
      // Of several that nothing tells apart nobody knows which one it is.
      if (own.length !== 1 || known.some(({ requestId }) => requestId === step.requestId)) return;
      const kept = known.filter((line) => line !== own[0]);
      save.run(orderNumber, JSON.stringify(kept));
      recent.set(orderNumber, kept);
    },
    take: (orderNumber) => {
      const lines = stored(orderNumber);
      if (lines.length > 0) remove.run(orderNumber);
      recent.delete(orderNumber);
      return lines;
    },
    forget: recent.clear,
  };
}

type KeptLine = { readonly [Member in (typeof keptMembers)[number]]?: UpdatedLine[Member] | undefined };

/** What tells a line and its amount. The other members are returned to the platform and never read. */
const keptMembers = [
  ...(["requestId", "externalIdentifier", "itemNumber", "lotNumber", "itemUnitOfMeasure"] as const),
  ...(["requestedAmount", "isCancelled"] as const),
];

/** Members that are absent stay absent. */
const keptLine = (line: KeptLine): KeptLine => ({
  requestId: line.requestId,
  externalIdentifier: line.externalIdentifier,
  itemNumber: line.itemNumber,
  lotNumber: line.lotNumber,
  itemUnitOfMeasure: line.itemUnitOfMeasure,
  requestedAmount: line.requestedAmount,
  isCancelled: line.isCancelled,
});

/** A model says nothing of lines that it does not list: what was shown of them before stands. */
function withLines(known: readonly KeptLine[], lines: readonly UpdatedLine[]): readonly KeptLine[] {
  const byId = new Map(lines.map((line) => [line.requestId, line]));
  const names = new Set(lines.map(nameOf));
  // Listed under another id, a line was fetched again.
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
