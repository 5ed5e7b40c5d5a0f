/** One order line's account: requested = picked + cancelled + remaining. */
export interface LineAmounts {
  readonly requested: number;
  readonly picked: number;
  readonly cancelled: number;
  /** Confirmed beyond what was requested; no part of the account. */
  readonly overPicked: number;
  readonly steps: number;
  /** What tells the latest steps of this line apart, newest first, as a JSON list. */
  readonly lastSteps: string | null;
  /** Where what was confirmed came from or went to, as a JSON list of [location, amount]. */
  readonly places: string | null;
}

export interface LedgerLine extends LineAmounts {
  readonly orderNumber: string;
  /** Its place among the lines of the order; never another line's. */
  readonly position: number;
  readonly requestId: number | null;
  readonly externalId: string | null;
  readonly itemNumber: string;
  readonly lot: string | null;
  readonly unit: number;
  readonly intake: number | null;
  readonly designatedLocation: string | null;
  /** Base units per unit of the order line: null not learned yet, 0 not certain, else a whole number. */
  readonly factor: number | null;
}

/** Sums of fractions such as 0.1 + 0.2 must not leave a line open for ever by a billionth. */
export function roundAmount(amount: number): number {
  const millionths = Math.round(amount * 1e6);
  // Beyond that there are no fractions left to round, and the product may be infinite.
  return Number.isSafeInteger(millionths) ? millionths / 1e6 : amount;
}

export const remainingOf = (line: LineAmounts): number => roundAmount(line.requested - line.picked - line.cancelled);

/** The account after everything that is still open was cancelled. */
export const cancelRest = <Line extends LineAmounts>(line: Line): Line => ({
  ...line,
  cancelled: roundAmount(line.requested - line.picked),
});
