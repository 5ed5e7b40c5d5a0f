import { type Static, Type } from "typebox";
import { fileOptionsSchema } from "../formats/import/file-settings.ts";
import type { DerivedTargets } from "./finished/finishing.ts";
import { optionDefaults } from "./option-defaults.ts";

const exportColumn = Type.Object(
  {
    key: Type.String({
      minLength: 1,
      description: "Stable column identifier; the platform remembers selections by it.",
    }),
    header: Type.String({ description: "Column heading, used verbatim." }),
    value: Type.String({
      minLength: 1,
      description:
        "A member path such as externalData.customer.name, or a JSONata expression " +
        "over externalData, deliveryNote, deliveryAddress and order.",
    }),
  },
  { additionalProperties: false },
);

export const embeddedOptions = Type.Object(
  {
    timeZone: Type.String({
      default: optionDefaults.timeZone,
      description: "IANA time zone that dates without offset are read in.",
    }),
    timeOfDay: Type.String({
      default: optionDefaults.timeOfDay,
      description: "Time (HH:mm) that dates without a time stand for.",
    }),
    expireAfterDays: Type.Optional(
      Type.Number({ minimum: 0, description: "Days after the due date at which a waiting order is no longer listed." }),
    ),
    exportColumns: Type.Array(exportColumn, {
      default: optionDefaults.exportColumns,
      description: "Extra columns of the work order export.",
    }),
    indexableValueLabel: Type.String({
      default: optionDefaults.indexableValueLabel,
      description: "Heading of the external indexable value; empty hides the column.",
    }),
    containerPattern: Type.Optional(
      Type.String({ description: "Regular expression (RE2) that every container code must match as a whole." }),
    ),
    knownContainers: Type.Optional(
      Type.Array(Type.String(), { description: "The only container codes there are; absent means any." }),
    ),
    servesOrders: Type.Optional(
      Type.Boolean({
        default: optionDefaults.servesOrders,
        description:
          "Whether every order the floor can have comes from here. Where another system lists or finds orders, a " +
          "number that is not known here may be one of its orders.",
      }),
    ),
    derivedEvents: Type.Optional(
      Type.Unsafe<DerivedTargets>({
        type: "object",
        description: "The connector that gets each derived event; absent: none is derived.",
        additionalProperties: { type: "string" },
      }),
    ),
    files: Type.Object(fileOptionsSchema.properties, {
      default: optionDefaults.files,
      additionalProperties: false,
      description: "Import of order and item files.",
    }),
    removedReceiptAfterMinutes: Type.Optional(
      Type.Number({
        default: optionDefaults.removedReceiptAfterMinutes,
        minimum: 0,
        description:
          "Minutes until a change to a waiting order is reported as removed where the platform has shown no sign of it; " +
          "0 reports it at once, although the platform may have fetched the order before. So long, but two hours at " +
          "least, a change that went out with a step waits for another one.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type EmbeddedOptions = Static<typeof embeddedOptions>;
