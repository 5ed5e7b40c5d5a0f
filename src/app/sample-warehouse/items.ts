import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UnitOfMeasure } from "../../contract/enums.ts";
import type { PushedItem, PushedStock } from "../../contract/pushes.ts";
import { packageFile } from "../version-info.ts";

const { Piece, Meter, Liter } = UnitOfMeasure;

// One item per line: a table is easier to read here than named members.
const itemTable: readonly (readonly [
  number: string,
  name: string,
  description: string,
  manufacturer: string,
  weight: number,
  size: readonly [length: number, width: number, height: number],
  minimum: number,
  unit: UnitOfMeasure,
])[] = [
  ["100100", "Claw hammer", "Steel head 450 g, ash handle", "Nordhand", 0.68, [33, 13, 3], 20, Piece],
  ["100110", "Screwdriver PH2", "Magnetic tip, 100 mm blade", "Nordhand", 0.12, [21, 4, 4], 40, Piece],
  ["100120", "Ring spanner 13 mm", "Chrome vanadium", "Nordhand", 0.14, [17, 3, 1], 30, Piece],
  ["100200", "Wood screws 4 × 40", "Box of 200, countersunk", "Fastwerk", 0.52, [9, 7, 5], 100, Piece],
  ["100210", "Wall plugs 8 mm", "Bag of 100", "Fastwerk", 0.18, [12, 8, 3], 100, Piece],
  ["100220", "Hex nuts M8", "Bag of 50, galvanised", "Fastwerk", 0.26, [10, 7, 3], 80, Piece],
  ["100300", "LED bulb E27", "8 W, 2700 K", "Lumo", 0.06, [12, 6, 6], 60, Piece],
  ["100310", "Extension lead 3 m", "Three sockets with switch", "Lumo", 0.41, [30, 12, 6], 15, Piece],
  ["100320", "Mains cable 3 × 1.5", "Sold by the metre", "Lumo", 0.11, [100, 1, 1], 200, Meter],
  ["100400", "Wall paint white", "Covers 7 m² a litre", "Farbwohl", 1.45, [12, 12, 12], 120, Liter],
  ["100410", "First-aid box", "Filled to DIN 13157", "Sanova", 0.95, [26, 17, 8], 10, Piece],
  ["100500", "Transport trolley", "Folding, carries 70 kg", "Rollmax", 4.6, [100, 48, 20], 5, Piece],
];

/** Twelve items, each with a small image. */
export function sampleItems(): PushedItem[] {
  const pictures = join(dirname(packageFile(import.meta.dirname)), "assets/sample-warehouse");
  return itemTable.map(([number, name, description, manufacturer, weight, size, minimum, unit]) => {
    const [length, width, height] = size;
    return {
      number,
      name,
      description,
      languageIsoCode: "en",
      manufacturer,
      weight,
      length,
      width,
      height,
      // In litres, computed from centimetres.
      volume: Number(((length * width * height) / 1000).toFixed(3)),
      minimumStockQuantity: minimum,
      unitOfMeasure: unit,
      externalIdentifier: `item-${number}`,
      image: readFileSync(join(pictures, `${number}.png`), "base64"),
    };
  });
}

/** The stock of each item: item, location, amount. */
const stockTable: readonly (readonly [itemNumber: string, locationName: string, amount: number])[] = [
  ["100100", "M-01-01", 46],
  ["100110", "M-01-02", 120],
  ["100120", "M-01-03", 75],
  ["100200", "M-02-01", 310],
  ["100210", "M-02-02", 280],
  ["100220", "M-02-03", 195],
  ["100300", "M-03-01", 150],
  ["100310", "M-03-02", 34],
  ["100320", "A-01-01", 640],
  ["100400", "A-01-02", 260],
  ["100410", "A-02-01", 22],
  ["100500", "A-02-02", 8],
  // One item in both storages and one below its minimum, as in a real warehouse.
  ["100300", "A-02-03", 40],
  ["100500", "M-03-03", 1],
];

export const sampleStock = (nowMs: number): PushedStock[] =>
  stockTable.map(([itemNumber, locationName, amount]) => ({
    itemNumber,
    locationName,
    amount,
    asOf: new Date(nowMs).toISOString(),
  }));
