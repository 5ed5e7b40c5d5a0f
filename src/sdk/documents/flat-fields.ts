import { type PushTopic, pushRow } from "../../contract/pushes.ts";
import type { Field } from "../records/field.ts";
import { orderFields } from "../records/order-fields.ts";
import { withLimits } from "../records/with-limits.ts";

/** Words over a column of an order file mean the same over that of a cancellation or a stock file. */
const wordsOf = (name: string): Field["headers"] => orderFields.find((field) => field.name === name)?.headers ?? {};
const field = (name: string, kind: Field["kind"], headers: Field["headers"], required = false): Field => ({
  ...{ name, scope: "record", kind, headers },
  ...(required ? { required: true } : {}),
});

function limited(topic: PushTopic, fields: readonly Field[]): readonly Field[] {
  return withLimits(fields, { record: pushRow(topic).element });
}

/** The columns of files with one element per row, where the import engine has none of its own. */
export const flatFields: Readonly<Partial<Record<PushTopic, readonly Field[]>>> = {
  cancellations: limited("cancellations", [
    field("workOrderNumber", "identifier", wordsOf("number"), true),
    field("requestExternalIdentifier", "identifier", {
      en: ["line id", "line number", "position", "order line"],
      de: ["Position", "Positionsnummer", "Zeilennummer"],
    }),
    field("itemNumber", "identifier", wordsOf("itemNumber")),
    field("requestedAmount", "whole-number", {
      ...wordsOf("requestedAmount"),
      en: ["new quantity", "quantity", "amount", "qty"],
    }),
    field("reason", "text", {
      en: ["comment"],
      de: ["Grund", "Stornogrund"],
      fr: ["motif"],
      it: ["motivo"],
      es: ["motivo"],
      nl: ["reden"],
      pl: ["powód"],
    }),
  ]),
  stock: limited("stock", [
    field("itemNumber", "identifier", wordsOf("itemNumber"), true),
    field("locationName", "text", {
      en: ["location", "bin", "storage location", "warehouse location"],
      ...{ de: ["Lagerplatz", "Lagerort", "Platz"], fr: ["emplacement"], it: ["ubicazione"], es: ["ubicación"] },
      ...{ nl: ["locatie"], pl: ["lokalizacja"] },
    }),
    field("lotNumber", "identifier", wordsOf("lotNumber")),
    field(
      "amount",
      "number",
      {
        en: ["stock", "on hand", "quantity", "qty"],
        ...{ de: ["Bestand", "Menge", "Lagerbestand"], fr: ["stock", "quantité"], it: ["giacenza", "quantità"] },
        ...{ es: ["existencias", "cantidad"], nl: ["voorraad", "aantal"], pl: ["stan", "ilość"] },
      },
      true,
    ),
    field("asOf", "date", { en: ["as of", "counted at", "date"], de: ["Stand", "Datum"] }),
  ]),
  indexableValues: limited("indexableValues", [
    field("workOrderNumber", "identifier", wordsOf("number"), true),
    field(
      "value",
      "text",
      {
        en: ["index", "external value", "indexable value", "reference"],
        ...{ de: ["Wert", "Index", "Referenz"], fr: ["valeur", "référence"], it: ["valore", "riferimento"] },
        ...{ es: ["valor", "referencia"], nl: ["waarde", "referentie"], pl: ["wartość", "numer referencyjny"] },
      },
      true,
    ),
  ]),
};
