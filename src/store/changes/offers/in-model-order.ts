import type { LedgerLine } from "../../ledger/ledger-line.ts";
import { carrierIndex, type Family, type FamilyLine } from "../family.ts";
import { reconcile } from "../reconcile.ts";

/**
 * Lines that nothing tells apart share what is wanted, and the earlier ones keep first: in the order of the model, which is
 * how the platform has them. Their accounts stand in the order in which they were opened, and a step on the later line opens
 * that one first.
 */
export function inModelOrder(family: Family, orderNumber: string, listed: readonly LedgerLine[]): Family {
  const index = carrierIndex(family, orderNumber);
  const places = new Map(listed.map(({ position }, place) => [position, place]));
  const lines = family.lines.map((line) => sortedLine(line, index, places));
  return lines.every((line, place) => line === family.lines[place]) ? family : { ...family, lines };
}

/** The same line where its accounts stand in that order already, as nearly all do. */
function sortedLine(line: FamilyLine, index: number, places: ReadonlyMap<number, number>): FamilyLine {
  const own = line.accounts[index] ?? [];
  if (own.length < 2) return line;
  // What the model does not list comes last: it is given up, and has no more than was picked of it.
  const placeOf = (row: number) => places.get(own[row]?.position ?? Number.NaN) ?? places.size;
  const rows = [...own.keys()].toSorted((one, other) => placeOf(one) - placeOf(other));
  if (rows.every((row, place) => row === place)) return line;
  const sorted = <Row>(each: readonly Row[]): Row[] => rows.flatMap((row) => each.slice(row, row + 1));
  const facts = {
    ...line.facts,
    carriers: line.facts.carriers.map((one, at) => (at === index ? { ...one, rows: sorted(one.rows) } : one)),
  };
  return {
    ...line,
    accounts: line.accounts.map((each, at) => (at === index ? sorted(each) : each)),
    facts,
    decision: line.decision === null ? null : reconcile(facts),
  };
}
