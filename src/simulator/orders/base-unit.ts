import { UnitOfMeasure } from "../../contract/enums.ts";

const factors: Partial<Record<UnitOfMeasure, number>> = {
  [UnitOfMeasure.Meter]: 1000,
  [UnitOfMeasure.Centimeter]: 10,
  [UnitOfMeasure.Kilogram]: 1000,
  [UnitOfMeasure.Liter]: 1000,
};

/** How many base units one unit of an order line has: a platform counts metres in millimetres, and tells no adapter so. */
export const baseUnitsPer = (unit: UnitOfMeasure): number => factors[unit] ?? 1;
