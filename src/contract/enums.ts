/** Enumerations of the contract. They are sent as numbers; the code uses these names. */

export const UnitOfMeasure = {
  Piece: 0,
  Meter: 1,
  Centimeter: 2,
  Millimeter: 3,
  Kilogram: 4,
  Gram: 5,
  Milligram: 6,
  Liter: 7,
  Centiliter: 8,
  Milliliter: 9,
  Gallon: 10,
  Pound: 11,
  SquareMeter: 12,
  CubicMeter: 13,
} as const;
export type UnitOfMeasure = (typeof UnitOfMeasure)[keyof typeof UnitOfMeasure];

export const RequestType = { Ignored: 0, PickItem: 1, PlaceItem: 2 } as const;
export type RequestType = (typeof RequestType)[keyof typeof RequestType];

export const FileType = { Json: 0, Csv: 1 } as const;
export type FileType = (typeof FileType)[keyof typeof FileType];

export const WorkOrderStatus = {
  New: 0,
  Paused: 1,
  Assigned: 2,
  Completed: 3,
  Empty: 4,
  Abandoned: 5,
  Canceled: 6,
  CompletedWithCancelations: 7,
  Unknown: 8,
} as const;
export type WorkOrderStatus = (typeof WorkOrderStatus)[keyof typeof WorkOrderStatus];
