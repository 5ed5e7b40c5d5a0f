import type { Language, Texts } from "../languages.ts";

/** Members that a file must have, as people call them; the contract's own name stands behind in brackets. */
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

/** Part of a text: the name of the member in `column`. One that is not in the list stands as it is. */
export const fieldName = (language: Language): string =>
  `{column, select, ${Object.entries(fieldNames)
    .map(([member, names]) => `${member} {“${names[language]}” (${member})}`)
    .join(" ")} other {{column}}}`;
