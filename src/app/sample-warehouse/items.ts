import { UnitOfMeasure } from "../../contract/enums.ts";
import type { PushedItem } from "../../contract/pushes.ts";
import { both, box, type Colour, disc, icons, type Shape, turned, without } from "./icon.ts";

const { Piece, Meter, Liter } = UnitOfMeasure;
const handle = box(-0.12, -0.1, 0.12, 0.7);
const wheel = (x: number) => without(disc(0.22, x, 0.5), disc(0.09, x, 0.5));
const cross = both(box(-0.6, -0.15, 0.6, 0.15), box(-0.15, -0.6, 0.15, 0.6));

// One line an item: a table reads better here than names on every line.
const table: readonly (readonly [
  number: string,
  name: string,
  description: string,
  manufacturer: string,
  weight: number,
  size: readonly [length: number, width: number, height: number],
  minimum: number,
  unit: UnitOfMeasure,
  colour: Colour,
  shape: Shape,
])[] = [
  [
    "100100",
    "Claw hammer",
    "Steel head 450 g, ash handle",
    "Nordhand",
    0.68,
    [33, 13, 3],
    20,
    Piece,
    [192, 57, 43],
    turned(both(handle, box(-0.5, -0.6, 0.5, -0.1)), 30),
  ],
  [
    "100110",
    "Screwdriver PH2",
    "Magnetic tip, 100 mm blade",
    "Nordhand",
    0.12,
    [21, 4, 4],
    40,
    Piece,
    [211, 84, 0],
    turned(both(box(-0.2, -0.7, 0.2, -0.1), box(-0.07, -0.1, 0.07, 0.7)), 45),
  ],
  [
    "100120",
    "Ring spanner 13 mm",
    "Chrome vanadium",
    "Nordhand",
    0.14,
    [17, 3, 1],
    30,
    Piece,
    [127, 140, 141],
    turned(without(both(disc(0.35, 0, -0.45), box(-0.12, -0.3, 0.12, 0.75)), disc(0.18, 0, -0.45)), 45),
  ],
  [
    "100200",
    "Wood screws 4 × 40",
    "Box of 200, countersunk",
    "Fastwerk",
    0.52,
    [9, 7, 5],
    100,
    Piece,
    [142, 68, 173],
    both(
      box(-0.5, -0.6, 0.5, -0.35),
      box(-0.15, -0.35, 0.15, 0.45),
      turned(box(-0.11, -0.11, 0.11, 0.11), 45),
      disc(0.12, 0, 0.5),
    ),
  ],
  [
    "100210",
    "Wall plugs 8 mm",
    "Bag of 100",
    "Fastwerk",
    0.18,
    [12, 8, 3],
    100,
    Piece,
    [41, 128, 185],
    both(box(-0.55, -0.6, -0.25, 0.6), box(-0.15, -0.6, 0.15, 0.6), box(0.25, -0.6, 0.55, 0.6)),
  ],
  [
    "100220",
    "Hex nuts M8",
    "Bag of 50, galvanised",
    "Fastwerk",
    0.26,
    [10, 7, 3],
    80,
    Piece,
    [44, 62, 80],
    without(
      both(
        box(-0.35, -0.6, 0.35, 0.6),
        turned(box(-0.35, -0.6, 0.35, 0.6), 60),
        turned(box(-0.35, -0.6, 0.35, 0.6), 120),
      ),
      disc(0.28),
    ),
  ],
  [
    "100300",
    "LED bulb E27",
    "8 W, 2700 K",
    "Lumo",
    0.06,
    [12, 6, 6],
    60,
    Piece,
    [243, 156, 18],
    both(disc(0.48, 0, -0.2), box(-0.2, 0.2, 0.2, 0.45), box(-0.15, 0.5, 0.15, 0.68)),
  ],
  [
    "100310",
    "Extension lead 3 m",
    "Three sockets with switch",
    "Lumo",
    0.41,
    [30, 12, 6],
    15,
    Piece,
    [22, 160, 133],
    without(box(-0.75, -0.3, 0.75, 0.3), both(disc(0.17, -0.45), disc(0.17), disc(0.17, 0.45))),
  ],
  [
    "100320",
    "Mains cable 3 × 1.5",
    "Sold by the metre",
    "Lumo",
    0.11,
    [100, 1, 1],
    200,
    Meter,
    [39, 174, 96],
    without(disc(0.68), without(disc(0.5), without(disc(0.36), disc(0.18)))),
  ],
  [
    "100400",
    "Wall paint white",
    "Covers 7 m² a litre",
    "Farbwohl",
    1.45,
    [12, 12, 12],
    120,
    Liter,
    [52, 152, 219],
    both(box(-0.45, -0.3, 0.45, 0.65), without(disc(0.45, 0, -0.3), disc(0.33, 0, -0.3))),
  ],
  ["100410", "First-aid box", "Filled to DIN 13157", "Sanova", 0.95, [26, 17, 8], 10, Piece, [231, 76, 60], cross],
  [
    "100500",
    "Transport trolley",
    "Folding, carries 70 kg",
    "Rollmax",
    4.6,
    [100, 48, 20],
    5,
    Piece,
    [52, 73, 94],
    both(
      box(-0.65, -0.65, -0.5, 0.3),
      box(-0.65, 0.2, 0.65, 0.35),
      wheel(-0.35),
      wheel(0.4),
      box(-0.3, -0.4, 0.45, 0.1),
    ),
  ],
];

/** Twelve items, each with a small image. */
export function sampleItems(): PushedItem[] {
  const images = icons(table.map(([, , , , , , , , colour, shape]) => ({ colour, shape })));
  return table.map(([number, name, description, manufacturer, weight, size, minimum, unit], index) => {
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
      // Litres from centimetres.
      volume: Number(((length * width * height) / 1000).toFixed(3)),
      minimumStockQuantity: minimum,
      unitOfMeasure: unit,
      externalIdentifier: `item-${number}`,
      image: images[index] ?? null,
    };
  });
}
