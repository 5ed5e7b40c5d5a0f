import type { Tally } from "../calls/call-tally.ts";
import { type Family, groupsOf, isChanged, linesOf, openIn, pickedOf, wantedOf } from "./order-family.ts";

/** Compares what the external system finally wants with what the floor has picked. Returns the number of orders. */
export function compareFamilies(families: Iterable<Family>, tally: Tally): number {
  let compared = 0;
  for (const family of families) {
    if (!isChanged(family)) continue;
    compared++;
    for (const group of groupsOf(family)) compareGroup(family, group, tally);
  }
  return compared;
}

/** Surplus was checked with every step: it was picked before the change could reach the floor. */
function compareGroup(family: Family, group: string, tally: Tally): void {
  const [line] = linesOf(family, group);
  const wanted = wantedOf(family, group);
  const picked = pickedOf(family, group);
  if (line === undefined || picked >= wanted || family.uncertain.has(group)) return;
  const held = family.carriers.reduce((sum, carrier) => sum + openIn(carrier, group), 0);
  // The last model that was sent still contained these pieces, and the contract has no other way to report it.
  const isDoubt = held >= wanted - picked;
  tally.note({
    kind: isDoubt ? "doubt" : "amount",
    order: family.number,
    item: line.content.itemNumber,
    text: isDoubt
      ? `no step has told the adapter that less is picked of line ${group}`
      : `less is picked of line ${group} than is wanted`,
    expected: String(wanted),
    found: String(picked),
    calls: [...family.history],
  });
}
