import type { Summary } from "./summary.ts";

/** The result in a few words. Pieces that are missing for a reason are missing all the same, and are said. */
export function verdictOf({ gaveUp, findingCount, doubts }: Summary): string {
  if (gaveUp !== null) return gaveUp;
  if (findingCount > 0) return `${findingCount} ${findingCount === 1 ? "finding" : "findings"}`;
  const places = new Set(doubts.map(({ order, item }) => `${order} ${item}`)).size;
  if (places === 0) return "no differences";
  return `no finding, but pieces are missing in ${places} doubtful ${places === 1 ? "place" : "places"}`;
}
