const order = (nr: string, lines: readonly (readonly [item: string, pieces: number])[], more: object = {}) => ({
  ...{ nr, due: "2030-01-31", store: "Main", batch: null as string | null, customer: "Huber Bakery" },
  lines: lines.map(([item, pieces], index) => ({ pos: (index + 1) * 10, item, pieces })),
  ...more,
});

/** What the ERP knows when the shift begins. */
export const openingOrders = () => [
  order("4711", [
    ["100100", 5],
    ["100200", 4],
  ]),
  order("4712", [["100300", 2]]),
  order("4713", [["100100", 3]]),
  order("4714", [["100300", 1]], { batch: "B-77" }),
  order(
    "4715",
    [
      ["100300", 2],
      ["100400", 2],
    ],
    { batch: "B-77" },
  ),
  order("4716", [["100200", 2]]),
  order("4717", [["100400", 3]]),
  order("4718", [["100100", 1]], { store: "Annex" }),
  // Nobody can pick half a piece.
  order("4719", [["100100", 1.5]]),
];
