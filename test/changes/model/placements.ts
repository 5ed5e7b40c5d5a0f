import type { InputOf } from "../../../src/contract/operations.ts";
import type { Report } from "../../../src/contract/schemas/queries.ts";
import type { Difference } from "../play/compare.ts";
import { confirmedAmount } from "./book-step.ts";
import type { Expected } from "./model.ts";

/**
 * What the report has to say of one group: confirmed amounts by item and location. What is placed at the put wall is
 * compared in pieces only, and not where it was picked by steps before: whether sorting counts there is left open.
 */
export function openPlacements(factorOf: (item: string) => number) {
  const booked = new Map<string, Map<string, number>>();
  const isSorted = new Set<string>();

  const book = (number: string, item: string, location: string, amount: number) => {
    if (amount === 0) return;
    const places = booked.get(number) ?? new Map<string, number>();
    booked.set(number, places);
    const key = `${item} at ${location}`;
    places.set(key, (places.get(key) ?? 0) + amount);
  };

  return {
    step: (payload: object, { isRetry }: Expected) => {
      // Built by the driver with these members.
      const step = payload as InputOf<"confirmStep"> & InputOf<"confirmCartStep">;
      const location = (step.amountToConfirmPickingSummary ?? step.amountToConfirmSummary)?.locationName ?? "";
      if (isRetry !== true) book(step.workOrderNumber, step.itemNumber ?? "", location, confirmedAmount(step));
    },
    place: ({
      workOrderNumber,
      itemNumber,
      completedAmount,
      confirmedLocationName,
    }: InputOf<"confirmPutWallPlacement">) => {
      if (booked.has(workOrderNumber) || factorOf(itemNumber) !== 1) isSorted.add(workOrderNumber);
      else book(workOrderNumber, itemNumber, confirmedLocationName ?? "", completedAmount);
    },
    compare: (number: string, report: Report | undefined): Difference[] => {
      const expected = booked.get(number);
      if (expected === undefined || isSorted.has(number)) return [];
      const got = (report?.placements ?? []).map(
        ({ itemNumber, locationName, amount }) => [`${itemNumber} at ${locationName}`, amount] as const,
      );
      const isSame = got.length === expected.size && got.every(([key, amount]) => expected.get(key) === amount);
      if (isSame) return [];
      return [
        { what: "placements of the report", expected: Object.fromEntries(expected), got: Object.fromEntries(got) },
      ];
    },
  };
}
