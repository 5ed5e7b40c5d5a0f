import { FileType, RequestType, UnitOfMeasure, WorkOrderStatus } from "../../contract/enums.ts";
import { requestTypeNames, unitNames } from "../records/enum-names.ts";
import { foldName } from "../records/fold-name.ts";

/** An enumeration of the contract, and how its values may be written. */
export interface Enumeration {
  readonly names: readonly string[];
  readonly numberOf: (value: unknown) => number | undefined;
}

const byFoldedName = (numbers: Readonly<Record<string, number>>): ReadonlyMap<string, number> =>
  new Map(
    Object.entries(numbers).flatMap(([name, number]) => [name, String(number)].map((one) => [foldName(one), number])),
  );

function enumeration(numbers: Readonly<Record<string, number>>, words: ReadonlyMap<string, number>): Enumeration {
  const known = new Set(Object.values(numbers));
  // Units of an ERP are a handful of texts; folding each of them for every line costs more than the rest of the line.
  const remembered = new Map<string, number | undefined>();
  const numberOfText = (text: string) => {
    if (remembered.has(text)) return remembered.get(text);
    const number = words.get(foldName(text));
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(text, number);
    return number;
  };
  return {
    names: Object.keys(numbers),
    numberOf: (value) => {
      if (typeof value === "number") return known.has(value) ? value : undefined;
      return typeof value === "string" ? numberOfText(value) : undefined;
    },
  };
}

const maxRemembered = 1_000;

/** By the name that a rule writes: `enum: UnitOfMeasure`. */
export const enumerations: Readonly<Record<string, Enumeration>> = {
  UnitOfMeasure: enumeration(UnitOfMeasure, unitNames),
  RequestType: enumeration(RequestType, requestTypeNames),
  WorkOrderStatus: enumeration(WorkOrderStatus, byFoldedName(WorkOrderStatus)),
  FileType: enumeration(FileType, byFoldedName(FileType)),
};

/** The one whose names a schema lists. */
export const enumerationOf = (names: readonly string[]): Enumeration | undefined =>
  Object.values(enumerations).find((one) => one.names.join() === names.join());
