import type { Language, Texts } from "../languages.ts";

/**
 * A place in a file, as far as it is known: a missing member has no value, a whole row has no column. JSON values have
 * their own quotes.
 */
const placed = (words: { row: string; column: string; value: string; literal: string; end: string }): string =>
  words.row +
  `{column, select, _absent {} other {${words.column}}}` +
  `{value, select, _absent {} other {${words.value}}}` +
  `{literal, select, _absent {} other {${words.literal}}}` +
  words.end;

const place: Texts = {
  en: placed({
    row: "Row {row}",
    column: ', column "{column}"',
    value: ', value "{value}"',
    literal: ", value {literal}",
    end: ": ",
  }),
  de: placed({
    row: "Zeile {row}",
    column: ", Spalte „{column}“",
    value: ", Wert „{value}“",
    literal: ", Wert {literal}",
    end: ": ",
  }),
  fr: placed({
    row: "Ligne {row}",
    column: ", colonne « {column} »",
    value: ", valeur « {value} »",
    literal: ", valeur {literal}",
    end: " : ",
  }),
  it: placed({
    row: "Riga {row}",
    column: ", colonna «{column}»",
    value: ", valore «{value}»",
    literal: ", valore {literal}",
    end: ": ",
  }),
  es: placed({
    row: "Fila {row}",
    column: ", columna «{column}»",
    value: ", valor «{value}»",
    literal: ", valor {literal}",
    end: ": ",
  }),
  nl: placed({
    row: "Rij {row}",
    column: ', kolom "{column}"',
    value: ', waarde "{value}"',
    literal: ", waarde {literal}",
    end: ": ",
  }),
  pl: placed({
    row: "Wiersz {row}",
    column: ", kolumna „{column}”",
    value: ", wartość „{value}”",
    literal: ", wartość {literal}",
    end: ": ",
  }),
};

const rowOnly: Texts = {
  en: "Row {row}: ",
  de: "Zeile {row}: ",
  fr: "Ligne {row} : ",
  it: "Riga {row}: ",
  es: "Fila {row}: ",
  nl: "Rij {row}: ",
  pl: "Wiersz {row}: ",
};

/** Every error names row, column and value in the same words. Only what is expected differs. */
const after = (start: Texts, expected: Texts): Texts => {
  const join = (language: Language) => start[language] + expected[language];
  return {
    en: join("en"),
    de: join("de"),
    fr: join("fr"),
    it: join("it"),
    es: join("es"),
    nl: join("nl"),
    pl: join("pl"),
  };
};
export const cell = (expected: Texts): Texts => after(place, expected);
export const row = (expected: Texts): Texts => after(rowOnly, expected);

/** Members that a file must have, as people call them, followed by the contract's own name in brackets. */
export const fieldNames = {
  number: {
    en: "order or item number",
    de: "Auftrags- oder Artikelnummer",
    fr: "numéro de commande ou d’article",
    it: "numero d’ordine o articolo",
    es: "número de pedido o artículo",
    nl: "order- of artikelnummer",
    pl: "numer zamówienia lub artykułu",
  },
  dueDate: {
    en: "due date",
    de: "Fälligkeitsdatum",
    fr: "date d’échéance",
    it: "data di scadenza",
    es: "fecha de vencimiento",
    nl: "vervaldatum",
    pl: "termin realizacji",
  },
  itemNumber: {
    en: "item number",
    de: "Artikelnummer",
    fr: "code article",
    it: "codice articolo",
    es: "código de artículo",
    nl: "artikelnummer",
    pl: "numer artykułu",
  },
  requestedAmount: {
    en: "quantity",
    de: "Menge",
    fr: "quantité",
    it: "quantità",
    es: "cantidad",
    nl: "aantal",
    pl: "ilość",
  },
  workOrderNumber: {
    en: "order number",
    de: "Auftragsnummer",
    fr: "numéro de commande",
    it: "numero ordine",
    es: "número de pedido",
    nl: "ordernummer",
    pl: "numer zamówienia",
  },
  amount: {
    en: "stock",
    de: "Bestand",
    fr: "stock",
    it: "giacenza",
    es: "existencias",
    nl: "voorraad",
    pl: "stan",
  },
  value: {
    en: "value",
    de: "Wert",
    fr: "valeur",
    it: "valore",
    es: "valor",
    nl: "waarde",
    pl: "wartość",
  },
} as const satisfies Record<string, Texts>;

const quotes: Readonly<Record<Language, readonly [begin: string, end: string]>> = {
  en: ["“", "”"],
  de: ["„", "“"],
  fr: ["« ", " »"],
  it: ["«", "»"],
  es: ["«", "»"],
  nl: ["“", "”"],
  pl: ["„", "”"],
};

/** The part of a text that names the member in `column`. A name that is not in the list is shown unchanged. */
export const fieldName = (language: Language): string =>
  `{column, select, ${Object.entries(fieldNames)
    .map(([member, names]) => `${member} {${quotes[language].join(names[language])} (${member})}`)
    .join(" ")} other {{column}}}`;
