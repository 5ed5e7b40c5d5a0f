import type { UpdatedLine } from "../../../contract/schemas/confirm-step.ts";
import { recentValues } from "../../../kit/recent-values.ts";
import { pick } from "../../../kit/sqlite/row.ts";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import type { LedgerLine } from "../../ledger/ledger-line.ts";
import { filled, type LineNames, lineKey, sameLine } from "../../ledger/line-ref.ts";
import { lastModelRow } from "../../store-rows.ts";
import { baseFactor, scaleOf } from "../group/line-facts.ts";
import { type GroupLine, memberIndex, type OrderGroup } from "../order-group.ts";

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
  /** Stores the amounts of an order's lines after a step, with what the answer asks for by position. */
  readonly add: (group: OrderGroup, orderNumber: string, entryId: string, lowered: Lowered) => void;
  /** Called after a rollback: what was added last may not be stored. */
  readonly forget: () => void;
}

type Lowered = ReadonlyMap<number, number>;

/** How many steps of one order are kept, and at most some more: nobody reads a longer history. */
const maxSteps = 200;
/** Every so many steps all lines are stored again, so that no step has to be put together from many. */
const wholeEvery = 50;
/** Lines of orders whose last step is kept in memory: enough for the changed orders being picked. */
const rememberedLines = 24_000;

/** The last step of an order. */
interface LastStep {
  readonly lines: readonly GroupLine[];
  readonly lowered: Lowered;
  /** For each line, the place of its first amounts among those of all lines. */
  readonly places: readonly number[];
  /** How many steps since all lines were stored. */
  readonly since: number;
}

/** A step stores the lines that it has changed: most steps change one line, and an order may have ten thousand. */
export function openStepAmounts(database: Database): StepAmountsTable {
  const insert = database.statement(
    "INSERT INTO step_amounts (order_number, entry_id, lines, whole) VALUES (?, ?, ?, ?)",
  );
  // The oldest step that is kept has all its lines.
  const trim = database.statement(
    `DELETE FROM step_amounts WHERE order_number = ? AND id < (
      SELECT max(id) FROM step_amounts WHERE order_number = ? AND whole = 1 AND id <= (
        SELECT id FROM step_amounts WHERE order_number = ? ORDER BY id DESC LIMIT 1 OFFSET ${maxSteps - 1}))`,
  );
  const recent = recentValues<LastStep>(rememberedLines, ({ lines }) => 1 + lines.length);
  return {
    add: ({ members, lines }, orderNumber, entryId, lowered) => {
      const index = memberIndex({ members }, orderNumber);
      const last = recent.get(orderNumber);
      const changed =
        last === undefined || last.since >= wholeEvery ? undefined : changedSince(last, lines, lowered, index);
      if (last !== undefined && changed !== undefined) {
        recent.set(orderNumber, { ...last, lines, lowered, since: last.since + 1 });
        insert.run(orderNumber, entryId, JSON.stringify(changed), 0);
        return;
      }
      const all: LineAmounts[] = [];
      const places: number[] = [];
      for (const line of lines) {
        places.push(all.length);
        all.push(...amountsOf(line, index, lowered));
      }
      recent.set(orderNumber, { lines, lowered, places, since: 0 });
      insert.run(orderNumber, entryId, JSON.stringify(all), 1);
      trim.run(orderNumber, orderNumber, orderNumber);
    },
    forget: recent.clear,
  };
}

/** The amounts that have changed since the last step, with their places; undefined if the places are others now. */
function changedSince(
  last: LastStep,
  lines: readonly GroupLine[],
  lowered: Lowered,
  index: number,
): [place: number, amounts: LineAmounts][] | undefined {
  if (lines.length !== last.lines.length) return undefined;
  const isAsked = ({ ledgerLines }: GroupLine) =>
    ledgerLines[index]?.some(({ position }) => lowered.has(position) || last.lowered.has(position)) === true;
  const areAny = lowered.size > 0 || last.lowered.size > 0;
  const changed: [place: number, amounts: LineAmounts][] = [];
  for (const [nth, line] of lines.entries()) {
    const was = last.lines[nth];
    if (was === undefined) return undefined;
    if (line === was && !(areAny && isAsked(line))) continue;
    const [before, now] = [amountsOf(was, index, last.lowered), amountsOf(line, index, lowered)];
    if (before.length !== now.length) return undefined;
    for (const [row, amounts] of now.entries()) {
      const place = (last.places[nth] ?? 0) + row;
      if (!isSameAmounts(amounts, before[row])) changed.push([place, amounts]);
    }
  }
  return changed;
}

const isSameAmounts = (line: LineAmounts, before: LineAmounts | undefined): boolean =>
  line.line === before?.line &&
  line.wanted === before.wanted &&
  line.shown === before.shown &&
  line.picked === before.picked &&
  line.offered === before.offered;

/** The lines of a step: those of the step before, and what it has changed of them. */
export function linesOfStep(texts: readonly { readonly lines: string; readonly whole: number }[]): LineAmounts[] {
  let lines: LineAmounts[] = [];
  for (const step of texts) {
    // `add` above wrote both forms.
    if (step.whole === 1) lines = JSON.parse(step.lines) as LineAmounts[];
    // The same.
    else for (const [place, line] of JSON.parse(step.lines) as [number, LineAmounts][]) lines[place] = line;
  }
  return lines;
}

/** The amounts of a line in one order of its group, one for each ledger line. */
function amountsOf(line: GroupLine, index: number, lowered: Lowered): LineAmounts[] {
  const { externalId, itemNumber, lot, key, facts } = line;
  return (facts.members[index]?.rows ?? []).map(({ shown, picked }, row) => {
    const ledgerLine = line.ledgerLines[index]?.[row];
    const asked = ledgerLine === undefined ? undefined : lowered.get(ledgerLine.position);
    return {
      line: externalId ?? ([itemNumber, lot].filter((name) => name !== null).join(" lot ") || key),
      ...{ wanted: facts.wanted, shown, picked },
      offered: ledgerLine === undefined || asked === undefined ? null : asked * scaleOf(ledgerLine, baseFactor(line)),
    };
  });
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
