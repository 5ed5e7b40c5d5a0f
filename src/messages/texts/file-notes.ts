import type { Language, Texts } from "../languages.ts";

interface Notes {
  readonly leftOut: string;
  readonly unused: string;
  readonly dates: string;
}

/** What else is to be said about a file that was read: nothing of it is wrong, but it may not be what was meant. */
const notes: Readonly<Record<Language, Notes>> = {
  en: {
    leftOut: "one {# row was} other {# rows were}} left out by “where”.",
    unused: "Columns not used: {columns}.",
    dates: "Dates such as {date} were read with the day first ({dateRead}).",
  },
  de: {
    leftOut: "one {# Zeile wurde} other {# Zeilen wurden}} durch „where“ ausgelassen.",
    unused: "Nicht verwendete Spalten: {columns}.",
    dates: "Datumsangaben wie {date} wurden mit dem Tag zuerst gelesen ({dateRead}).",
  },
  fr: {
    leftOut: "one {# ligne écartée} other {# lignes écartées}} par « where ».",
    unused: "Colonnes non utilisées : {columns}.",
    dates: "Les dates comme {date} ont été lues avec le jour en premier ({dateRead}).",
  },
  it: {
    leftOut: "one {# riga esclusa} other {# righe escluse}} da «where».",
    unused: "Colonne non usate: {columns}.",
    dates: "Le date come {date} sono state lette con il giorno per primo ({dateRead}).",
  },
  es: {
    leftOut: "one {# fila omitida} other {# filas omitidas}} por «where».",
    unused: "Columnas no usadas: {columns}.",
    dates: "Las fechas como {date} se leyeron con el día primero ({dateRead}).",
  },
  nl: {
    leftOut: "one {# rij is} other {# rijen zijn}} weggelaten door “where”.",
    unused: "Niet gebruikte kolommen: {columns}.",
    dates: "Datums zoals {date} zijn gelezen met de dag eerst ({dateRead}).",
  },
  pl: {
    leftOut:
      "one {# wiersz pominięto} few {# wiersze pominięto} many {# wierszy pominięto} other {# wiersza pominięto}} przez „where”.",
    unused: "Nieużyte kolumny: {columns}.",
    dates: "Daty takie jak {date} odczytano z dniem na początku ({dateRead}).",
  },
};

const withNotes = (text: string, { leftOut, unused, dates }: Notes): string =>
  `${text}{hasLeftOut, select, _absent {} other { {leftOut, plural, ${leftOut}}}` +
  `{columns, select, _absent {} other { ${unused}}}{date, select, _absent {} other { ${dates}}}`;

/** A text about a file with the notes behind it, those that there are. */
export const noted = (texts: Texts): Texts => ({
  en: withNotes(texts.en, notes.en),
  de: withNotes(texts.de, notes.de),
  fr: withNotes(texts.fr, notes.fr),
  it: withNotes(texts.it, notes.it),
  es: withNotes(texts.es, notes.es),
  nl: withNotes(texts.nl, notes.nl),
  pl: withNotes(texts.pl, notes.pl),
});

export const fileNoteTexts = {
  "files.read": noted({
    en: "{good, plural, one {# record} other {# records}} read.",
    de: "{good, plural, one {# Datensatz} other {# Datensätze}} gelesen.",
    fr: "{good, plural, one {# enregistrement lu} other {# enregistrements lus}}.",
    it: "{good, plural, one {# record letto} other {# record letti}}.",
    es: "{good, plural, one {# registro leído} other {# registros leídos}}.",
    nl: "{good, plural, one {# record} other {# records}} gelezen.",
    pl: "Odczytano {good, plural, one {# rekord} few {# rekordy} many {# rekordów} other {# rekordu}}.",
  }),
} as const satisfies Record<string, Texts>;
