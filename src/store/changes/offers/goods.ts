import { UnitOfMeasure } from "../../../contract/enums.ts";
import type { FamilyLine } from "../family.ts";

/** An amount of an item as an operator reads it. */
export interface Goods {
  readonly item: string;
  readonly amount: number;
  readonly unit: number;
}

/** The same in every language. Pieces are counted without a unit. */
const symbols: Readonly<Record<number, string>> = {
  [UnitOfMeasure.Meter]: "m",
  [UnitOfMeasure.Centimeter]: "cm",
  [UnitOfMeasure.Millimeter]: "mm",
  [UnitOfMeasure.Kilogram]: "kg",
  [UnitOfMeasure.Gram]: "g",
  [UnitOfMeasure.Milligram]: "mg",
  [UnitOfMeasure.Liter]: "l",
  [UnitOfMeasure.Centiliter]: "cl",
  [UnitOfMeasure.Milliliter]: "ml",
  [UnitOfMeasure.Gallon]: "gal",
  [UnitOfMeasure.Pound]: "lb",
  [UnitOfMeasure.SquareMeter]: "m²",
  [UnitOfMeasure.CubicMeter]: "m³",
};

export function amountText({ amount, unit }: Pick<Goods, "amount" | "unit">): string {
  const symbol = symbols[unit];
  return symbol === undefined ? String(amount) : `${amount} ${symbol}`;
}

/** A device shows a few lines. */
const mostItems = 5;

export const shownGoods = (goods: readonly Goods[]): readonly Goods[] => goods.slice(0, mostItems);

/** For example `A-1 × 2, M-7 × 1.5 kg`: item by item, since amounts of different units have no sum. */
export function goodsText(goods: readonly Goods[]): string {
  const texts = shownGoods(goods).map((one) => `${one.item} × ${amountText(one)}`);
  return [...texts, ...(goods.length > mostItems ? ["…"] : [])].join(", ");
}

/** The unit of lines; that of a piece where they differ. */
export function unitOfLines(lines: readonly Pick<FamilyLine, "unit">[]): number {
  const units = new Set(lines.map(({ unit }) => unit));
  const [unit = UnitOfMeasure.Piece] = units;
  return units.size > 1 ? UnitOfMeasure.Piece : unit;
}
