import { UnitOfMeasure } from "../../contract/enums.ts";
import type { PushedItem } from "../../contract/pushes.ts";
import type { Random } from "../../kit/seeded-random.ts";

export interface FloorItem {
  readonly number: string;
  readonly name: string;
  readonly unit: UnitOfMeasure;
  readonly location: string;
  readonly hasImage: boolean;
}

/** The smallest PNG there is: one transparent dot. */
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const nouns = ["Bolt", "Bearing", "Hose", "Cable", "Filter", "Valve", "Gasket", "Sensor"] as const;
/** Mostly pieces, as on most floors. */
const units = [
  ...Array.from({ length: 8 }, () => UnitOfMeasure.Piece),
  UnitOfMeasure.Meter,
  UnitOfMeasure.Kilogram,
] as const;

export const aisles = ["A", "B", "C", "D", "E", "F"] as const;
export const baysPerAisle = 30;

export function generateItems({ run, count, random }: { run: string; count: number; random: Random }): FloorItem[] {
  return Array.from({ length: count }, (_, index) => ({
    number: `${run}-I${String(index + 1).padStart(4, "0")}`,
    name: `${random.oneOf(nouns)} ${index + 1}`,
    unit: random.oneOf([UnitOfMeasure.Piece, ...units]),
    location: `${random.oneOf(aisles)}-${String(random.whole(1, baysPerAisle)).padStart(2, "0")}`,
    hasImage: index % 3 === 0,
  }));
}

export const pushedItem = ({ number, name, unit, hasImage }: FloorItem): PushedItem => ({
  number,
  name,
  languageIsoCode: "en",
  unitOfMeasure: unit,
  ...(hasImage ? { image: dot } : {}),
});
