import { type LedgerLine, remainingOf, roundAmount, takenOf } from "../../ledger/ledger-line.ts";
import type { LineFacts, RowFacts } from "../reconcile.ts";
import { isOrderEnded, isPutWall, isWaiting, type MemberOrder } from "./member-order.ts";

/** Base units per unit of a line. While the factor is in doubt, amounts stay as the platform counts them. */
export const baseFactor = ({ factor }: { readonly factor: number | null }): number => factor ?? 1;

interface LineNeeds {
  readonly key: string;
  readonly ledgerLines: readonly (readonly LedgerLine[])[];
  readonly members: readonly MemberOrder[];
  readonly factor: number;
  readonly amount: number | null;
  /** Short-picked before the order was given back, in the line's own unit. */
  readonly shortPickedBefore: number;
  /** Per member: the keys of all lines in any content served for it. */
  readonly servedKeys: readonly ReadonlySet<string>[];
  readonly isChanged: boolean;
}

/** The facts of one line, in base units. */
export function factsOf({
  key,
  ledgerLines,
  members,
  factor,
  amount,
  shortPickedBefore,
  servedKeys,
  isChanged,
}: LineNeeds): LineFacts {
  const shortPicked = ledgerLines
    .flat()
    .reduce(
      (sum, ledgerLine) => sum + ledgerLine.shortPicked * scaleOf(ledgerLine, factor),
      shortPickedBefore * factor,
    );
  return {
    wanted: amount === null ? null : roundAmount(amount * factor),
    shortPicked: roundAmount(shortPicked),
    factor,
    isChanged,
    members: members.map((member, index) => ({
      isWaiting: isWaiting(member),
      mayHold:
        !isPutWall(member) &&
        !isOrderEnded(member) &&
        // The order was begun but shows no line yet: the platform may hold any content, even one it fetches again now.
        ((index === 0 && member.ledgerLines.length === 0) || servedKeys[index]?.has(key) === true),
      rows: (ledgerLines[index] ?? []).map((ledgerLine) => rowOf(ledgerLine, member, factor)),
    })),
  };
}

function rowOf(ledgerLine: LedgerLine, member: MemberOrder, factor: number): RowFacts {
  const scale = scaleOf(ledgerLine, factor);
  const shown = shownOf(ledgerLine, member);
  return {
    picked: roundAmount(takenOf(ledgerLine) * scale),
    shown: shown === null ? null : roundAmount(shown * scale),
    isWhole: ledgerLine.factor !== null,
  };
}

/** What the platform shows of a line, in the unit of its ledger line; null while it has shown nothing. */
function shownOf(ledgerLine: LedgerLine, member: MemberOrder): number | null {
  // A put wall shows no amounts. It may hold the largest amount that was served before it began.
  if (ledgerLine.factor === null && ledgerLine.cancelled === 0 && isPutWall(member) && !isOrderEnded(member)) {
    return Math.max(ledgerLine.intake ?? 0, ledgerLine.requested);
  }
  const isShown = ledgerLine.factor !== null || remainingOf(ledgerLine) <= 0;
  return isShown ? roundAmount(ledgerLine.requested - ledgerLine.cancelled) : null;
}

/**
 * Converts a ledger line's amounts to base units. A ledger line that no step has shown is still in the line's own unit.
 */
export const scaleOf = (ledgerLine: LedgerLine, factor: number): number => (ledgerLine.factor === null ? factor : 1);

/** The factor that all ledger lines shown by a step agree on; 1 when none was shown, null when they differ. */
export function commonFactor(ledgerLines: readonly LedgerLine[]): number | null {
  let common: number | undefined;
  for (const { factor } of ledgerLines) {
    if (factor === null) continue;
    if (common !== undefined && common !== factor) return null;
    common = factor;
  }
  if (common === undefined) return 1;
  return common >= 1 ? common : null;
}

/** What is picked of a line, in its own unit as far as that is certain. */
export function pickedOf(ledgerLines: readonly LedgerLine[]): number {
  const factor = commonFactor(ledgerLines) ?? 1;
  return ledgerLines.reduce((sum, ledgerLine) => sum + (takenOf(ledgerLine) * scaleOf(ledgerLine, factor)) / factor, 0);
}
