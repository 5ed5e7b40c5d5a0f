import { RequestType, UnitOfMeasure } from "../../contract/enums.ts";

const simplified: Readonly<Record<string, string>> = { ß: "ss", ł: "l", ø: "o", æ: "a", œ: "o" };

/**
 * Separators, symbols, and the accents that normalisation splits off. Unicode property classes would be slow to
 * compile.
 */
const signs = /[\t-\r -/:-@[-`{-¿ʰ-\u036f\u2000-\u2bff\u3000-\u303f]/g;

/**
 * A column name or unit reduced to its letters and digits: `Fälligkeits-Datum`, `FAELLIGKEITSDATUM` and
 * `fälligkeitsdatum` are the same. Umlauts and ligatures are spelt out, because half of all exports do so.
 */
export function foldName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[ßłøæœ]/g, (letter) => simplified[letter] ?? letter)
    .normalize("NFKD")
    .replace(signs, "")
    .replace(/([aou])e/g, "$1");
}

type Words<Names extends object> = Readonly<Record<keyof Names, readonly string[]>>;

const unitWords: Words<typeof UnitOfMeasure> = {
  Piece: [
    ...["pieces", "pc", "pcs", "pce", "ea", "each", "unit", "units", "Stück", "Stk", "St", "Stueck", "pièce", "pièces"],
    ...["unité", "unités", "pezzo", "pezzi", "pz", "unità", "pieza", "piezas", "unidad", "unidades", "ud", "uds"],
    ...["stuk", "stuks", "sztuka", "sztuki", "sztuk", "szt"],
  ],
  Meter: ["m", "meters", "metre", "metres", "mtr", "mètre", "mètres", "metro", "metri", "metros", "metr", "metry"],
  Centimeter: ["cm", "centimetre", "Zentimeter", "centimètre", "centimetro", "centímetro", "centymetr"],
  Millimeter: ["mm", "millimetre", "millimètre", "millimetro", "milímetro", "milimetr"],
  Kilogram: ["kg", "kgs", "kilo", "kilos", "kilograms", "Kilogramm", "kilogramme", "chilogrammo", "chilo", "kilogramo"],
  Gram: ["g", "gr", "grams", "Gramm", "gramme", "grammes", "grammo", "grammi", "gramo", "gramos"],
  Milligram: ["mg", "Milligramm", "milligramme", "milligrammo", "miligramo", "miligram"],
  Liter: ["l", "lt", "ltr", "liters", "litre", "litres", "litro", "litri", "litros", "litr", "litry"],
  Centiliter: ["cl", "centilitre", "Zentiliter", "centilitro", "centylitr"],
  Milliliter: ["ml", "millilitre", "millilitro", "mililitro", "mililitr"],
  Gallon: ["gal", "gallons", "Gallone", "gallone", "galón", "galon"],
  Pound: ["lb", "lbs", "pounds", "Pfund", "livre", "livres", "libbra", "libra", "libras", "pond", "funt"],
  SquareMeter: [
    ...["m2", "m²", "sqm", "qm", "square metre", "Quadratmeter", "mètre carré", "metro quadrato", "metro quadro", "mq"],
    ...["metro cuadrado", "vierkante meter", "metr kwadratowy"],
  ],
  CubicMeter: [
    ...["m3", "m³", "cbm", "cubic metre", "Kubikmeter", "mètre cube", "metro cubo", "mc", "metro cúbico"],
    ...["kubieke meter", "metr sześcienny"],
  ],
};

const requestWords: Words<typeof RequestType> = {
  Ignored: ["ignore", "none", "ignoriert", "ignorieren", "ignoré", "ignorato", "ignorado", "genegeerd", "ignorowane"],
  PickItem: [
    ...[
      "pick",
      "picking",
      "out",
      "Entnahme",
      "entnehmen",
      "Auslagerung",
      "auslagern",
      "kommissionieren",
      "prélèvement",
    ],
    ...["prélever", "prelievo", "prelevare", "recogida", "picken", "uitslag", "pobranie", "pobierz"],
  ],
  PlaceItem: [
    ...["place", "placing", "put", "putaway", "in", "Einlagerung", "einlagern", "rangement", "ranger", "stockage"],
    ...[
      "stoccaggio",
      "immagazzinare",
      "depositare",
      "colocación",
      "ubicar",
      "inslag",
      "plaatsen",
      "odłożenie",
      "odłóż",
    ],
  ],
};

function namesOf<Names extends Readonly<Record<string, number>>>(
  numbers: Names,
  words: Words<Names>,
): ReadonlyMap<string, Names[keyof Names]> {
  const result = new Map<string, Names[keyof Names]>();
  for (const [name, number] of Object.entries(numbers)) {
    // An entry of an object of this type: the value is one of its numbers.
    const value = number as Names[keyof Names];
    for (const word of [String(number), name, ...(words[name] ?? [])]) result.set(foldName(word), value);
  }
  return result;
}

/** The words as people write them; they help to detect a file's encoding. */
export const unitSpellings: readonly string[] = Object.values(unitWords).flat();

/** The values of a unit column, folded: number, contract name, or a common word or abbreviation. */
export const unitNames = namesOf(UnitOfMeasure, unitWords);
export const requestTypeNames = namesOf(RequestType, requestWords);
