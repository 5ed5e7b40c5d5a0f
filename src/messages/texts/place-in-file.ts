import type { Language, Texts } from "../languages.ts";

/** A place with only what is there: a missing member has no value, a whole row no column. JSON brings its own quotes. */
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

/** Every error says row, column and value in the same words; only what is expected differs. */
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
