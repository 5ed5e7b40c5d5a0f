const customer = { Name: "Huber Bakery", City: "Graz" };

const order = (DocNum: number, lines: readonly (readonly [article: string, qty: number])[], more: object = {}) => ({
  ...{ DocNum, Due: "2030-01-31", Warehouse: "Main", Wave: null, State: "released", Customer: customer },
  Lines: lines.map(([Article, Qty], index) => ({ LineNo: (index + 1) * 10, Article, Qty, Unit: "pcs" })),
  ...more,
});

export type ErpOrder = ReturnType<typeof order>;

/** What the ERP knows when the shift begins. */
export const openingOrders = (): ErpOrder[] => [
  order(4711, [
    ["100100", 5],
    ["100200", 4],
  ]),
  order(4712, [["100300", 2]]),
  order(4713, [["100100", 3]]),
  order(4714, [["100300", 1]], { Wave: "B-77" }),
  order(
    4715,
    [
      ["100300", 2],
      ["100400", 2],
    ],
    { Wave: "B-77" },
  ),
  order(4716, [["100200", 2]]),
  order(4717, [["100400", 3]]),
  order(4718, [["100100", 1]], { Warehouse: "Annex" }),
  // Nobody can pick half a piece.
  order(4719, [["100100", 1.5]]),
];

export const articles = [
  { Article: "100100", Title: "Claw hammer", Grams: 680 },
  { Article: "100200", Title: "Spirit level", Grams: 540 },
  { Article: "100300", Title: "Folding rule", Grams: 110 },
  { Article: "100400", Title: "Work gloves", Grams: 90 },
];
