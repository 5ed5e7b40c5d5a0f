import { UnitOfMeasure } from "../../../contract/enums.ts";
import type { GroupLine } from "../order-group.ts";

/** An amount of an item, as an operator reads it. */
export interface Goods {
  readonly item: string;
  readonly amount: number;
  readonly unit: number;
}

/** Unit symbols, the same in every language. Pieces are written without a unit. */
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

/** A handheld device shows only a few lines. */
const mostItems = 5;

export const shownGoods = (goods: readonly Goods[]): readonly Goods[] => goods.slice(0, mostItems);

/** For example `A-1 × 2, M-7 × 1.5 kg`: item by item, because amounts in different units cannot be added. */
export function goodsText(goods: readonly Goods[]): string {
  const texts = shownGoods(goods).map((one) => `${one.item} × ${amountText(one)}`);
  return [...texts, ...(goods.length > mostItems ? ["…"] : [])].join(", ");
}

/** The common unit of lines; pieces when they differ. */
export function unitOfLines(lines: readonly Pick<GroupLine, "unit">[]): number {
  const units = new Set(lines.map(({ unit }) => unit));
  const [unit = UnitOfMeasure.Piece] = units;
  return units.size > 1 ? UnitOfMeasure.Piece : unit;
}
