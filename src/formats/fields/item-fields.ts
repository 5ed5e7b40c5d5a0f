import { pushedItemSchema } from "../../contract/pushes.ts";
import { type Field, withLimits } from "../csv/map-columns.ts";
import { orderFields } from "./order-fields.ts";

/** Headers with the same meaning in order files and item files are listed once. */
const wordsOf = (name: string): Field["headers"] => orderFields.find((field) => field.name === name)?.headers ?? {};

/** The columns of an item file: one row per item. */
const fields: readonly Field[] = [
  { name: "number", scope: "record", kind: "identifier", required: true, headers: wordsOf("itemNumber") },
  { name: "name", scope: "record", kind: "text", headers: wordsOf("itemName") },
  {
    name: "description",
    scope: "record",
    kind: "text",
    headers: {
      en: ["item description", "article description", "product description", "long text"],
      de: ["Artikelbeschreibung", "Beschreibung", "Langtext", "Artikeltext"],
      fr: ["description de l'article", "description article"],
      it: ["descrizione", "descrizione estesa"],
      es: ["descripción del artículo", "descripción"],
      nl: ["artikelomschrijving", "omschrijving"],
      pl: ["opis artykułu", "opis towaru", "opis"],
    },
  },
  { name: "languageIsoCode", scope: "record", kind: "text", headers: wordsOf("languageIsoCode") },
  {
    name: "minimumStockQuantity",
    scope: "record",
    kind: "number",
    headers: {
      en: ["minimum stock quantity", "minimum stock", "min stock", "reorder point", "safety stock"],
      de: ["Mindestbestand", "Mindestmenge", "Meldebestand", "Sicherheitsbestand"],
      fr: ["stock minimum", "stock minimal", "stock mini"],
      it: ["scorta minima", "giacenza minima"],
      es: ["stock mínimo", "existencias mínimas"],
      nl: ["minimumvoorraad", "minimale voorraad"],
      pl: ["stan minimalny", "zapas minimalny"],
    },
  },
  {
    name: "weight",
    scope: "record",
    kind: "number",
    headers: {
      en: ["item weight"],
      de: ["Gewicht"],
      fr: ["poids"],
      it: ["peso"],
      es: ["peso"],
      nl: ["gewicht"],
      pl: ["waga", "masa"],
    },
  },
  {
    name: "height",
    scope: "record",
    kind: "number",
    headers: {
      de: ["Höhe"],
      fr: ["hauteur"],
      it: ["altezza"],
      es: ["altura", "alto"],
      nl: ["hoogte"],
      pl: ["wysokość"],
    },
  },
  {
    name: "width",
    scope: "record",
    kind: "number",
    headers: {
      de: ["Breite"],
      fr: ["largeur"],
      it: ["larghezza"],
      es: ["anchura", "ancho"],
      nl: ["breedte"],
      pl: ["szerokość"],
    },
  },
  {
    name: "length",
    scope: "record",
    kind: "number",
    headers: {
      de: ["Länge"],
      fr: ["longueur"],
      it: ["lunghezza"],
      es: ["longitud", "largo"],
      nl: ["lengte"],
      pl: ["długość"],
    },
  },
  {
    name: "volume",
    scope: "record",
    kind: "number",
    headers: { de: ["Volumen"], it: ["volume articolo"], es: ["volumen"], pl: ["objętość"] },
  },
  {
    name: "manufacturer",
    scope: "record",
    kind: "text",
    headers: {
      en: ["manufacturer name", "vendor", "brand", "maker"],
      de: ["Hersteller", "Marke"],
      fr: ["fabricant", "marque"],
      it: ["produttore", "marca"],
      es: ["fabricante"],
      nl: ["fabrikant", "merk"],
      pl: ["producent", "marka"],
    },
  },
  { name: "unitOfMeasure", scope: "record", kind: "unit", headers: wordsOf("unitOfMeasure") },
  {
    name: "externalIdentifier",
    scope: "record",
    kind: "identifier",
    headers: {
      ...wordsOf("externalIdentifier"),
      en: ["external identifier", "external id", "external item id", "erp id", "item id"],
    },
  },
];

export const itemFields = withLimits(fields, { record: pushedItemSchema });
