import type { Connectable } from "../../../src/server/workshop/config-editor.ts";

/** The members of an option's JSON Schema that a form uses. */
interface OptionSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, OptionSchema>>;
  readonly required?: readonly string[];
}

/** One field of the form. */
export interface OptionField {
  /** The path below the connector, such as `auth.token`. */
  readonly path: readonly string[];
  readonly description: string;
  /** Some texts have several lines. What a form cannot show is written as YAML. */
  readonly kind: "text" | "lines" | "number" | "boolean" | "choice" | "secret" | "yaml" | "operations";
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  /** What it would be without a value, or an example of one. */
  readonly example: string;
  /** Of an option that has a form of its own for each operation, such as `operations`; otherwise empty. */
  readonly operations: readonly OperationForm[];
}

/** The form of one operation: its request, its statement or its file. */
export interface OperationForm {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly OptionField[];
}

export const keyOf = ({ path }: Pick<OptionField, "path">): string => path.join(".");

type PresetQuery = {
  readonly option: string;
  readonly description: string;
  readonly example: string | number;
  readonly isSecret?: true;
};

/** The options that the preset cannot know, and all other options of its type of connector. */
export function presetFields(preset: Connectable["presets"][number], kinds: Connectable["kinds"]): OptionField[] {
  const asked = (preset.queries as readonly PresetQuery[]).map(
    ({ option, description, example, isSecret }): OptionField => {
      const kind = isSecret === true ? "secret" : typeof example === "number" ? "number" : "text";
      return {
        ...{ path: option.split("."), description, kind, choices: [], isRequired: true, operations: [] },
        // A secret is usually kept in the variable that the example names.
        example: isSecret === true ? `\${${example}}` : String(example),
      };
    },
  );
  const names = new Set(asked.map(({ path }) => path[0]));
  const others = kindFields(preset.type, kinds).filter(({ path }) => !names.has(path[0]) && path[0] !== "preset");
  return [...asked, ...others.map(asOptional)];
}

/** The preset has a value for it. */
const asOptional = (field: OptionField): OptionField => ({
  ...{ ...field, isRequired: false },
  operations: field.operations.map((one) => ({ ...one, fields: one.fields.map(asOptional) })),
});

export function kindFields(type: string, kinds: Connectable["kinds"]): OptionField[] {
  // The options of every kind are a JSON Schema of an object.
  const options = (kinds.find((one) => one.type === type)?.options ?? {}) as OptionSchema;
  return fieldsOf(options, [], starts[type] ?? {});
}

function fieldsOf(owner: OptionSchema, path: readonly string[], examples: Examples): OptionField[] {
  const { properties = {}, required = [] } = owner;
  const fields = Object.entries(properties).map(([name, schema]): OptionField => {
    const { description = "", enum: choices = [], default: usual } = schema;
    const isPlain = typeof usual === "string" || typeof usual === "number" || typeof usual === "boolean";
    const kind = kindOf(name, schema);
    const own = [...path, name];
    return {
      ...{ path: own, description, kind, choices, isRequired: required.includes(name) },
      example: isPlain ? String(usual) : (examples[keyOf({ path: own })] ?? ""),
      operations: kind === "operations" ? operationsOf(schema, own, examples) : [],
    };
  });
  // Required fields come first: nobody reads thirty fields.
  return fields.toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired));
}

const operationsOf = ({ properties = {} }: OptionSchema, path: readonly string[], examples: Examples) =>
  Object.entries(properties).map(
    ([name, schema]): OperationForm => ({
      ...{ name, description: schema.description ?? "" },
      fields: fieldsOf(schema, [...path, name], examples),
    }),
  );

/** Texts that people write in several lines: statements and certificates. In a field of one line, the ends are lost. */
const inLines = ["sql", "orders", "lines", "ca"];

function kindOf(name: string, { type, enum: choices, properties = {} }: OptionSchema): OptionField["kind"] {
  if (choices !== undefined) return "choice";
  if (type === "boolean") return "boolean";
  if (type === "integer" || type === "number") return "number";
  if (type === "string")
    return /password|secret|token/i.test(name) ? "secret" : inLines.includes(name) ? "lines" : "text";
  const members = Object.values(properties);
  return members.length > 0 && members.every((one) => one.properties !== undefined) ? "operations" : "yaml";
}

type Examples = Readonly<Record<string, string>>;

/** First values for settings that only the person can know, to be changed. */
const starts: Readonly<Record<string, Examples>> = {
  http: {
    auth: `kind: bearer\ntoken: \${ERP_TOKEN}`,
    "operations.listWorkOrders.path": "/orders",
    "operations.listWorkOrders.records": "data",
    "operations.listWorkOrders.map":
      "number: id\ndueDate: due\nrequests:\n  each: lines\n  map: { itemNumber: item, requestedAmount: qty }",
  },
  files: { in: "- { topic: workOrders, folder: orders }" },
  webhook: { secrets: `- \${WEBHOOK_SECRET}` },
};

/** What the operations of a new connection start with. */
export const firstOperations = (type: string): Examples =>
  Object.fromEntries(Object.entries(starts[type] ?? {}).filter(([key]) => key.includes(".")));

/** Options that nearly every connection of a kind needs, although none of them is required of all. */
const usualOptions: Readonly<Record<string, readonly string[]>> = {
  ...{
    http: ["auth"],
    webhook: ["secrets"],
    files: ["in"],
    sql: ["file", "host", "database", "username", "password"],
    module: ["options"],
  },
};

/** Whether a field is in sight from the beginning, also while it is empty. */
export const isUsual = (field: OptionField, type: string): boolean =>
  field.kind === "operations" || (usualOptions[type]?.includes(keyOf(field)) ?? false);

/** Files are brought in and events are sent, but these kinds answer no query. */
export const answersQueries = (type: string): boolean => type !== "webhook" && type !== "files";

/** What a new connection is used for at first. Applied without any use, it would do nothing and say nothing. */
export const firstUse = (type: string) => ({
  ...{ serves: type === "http" ? ["workOrders"] : [], takesEvents: type === "webhook" },
});

/** A text of the form as a value. Numbers become numbers, and empty texts are left out. */
export interface Typed {
  readonly path: readonly string[];
  readonly value?: unknown;
  readonly yaml?: string;
}

export function typedValue({ path, kind }: OptionField, text: string): Typed {
  if (text.trim() === "") return { path };
  if (kind === "yaml") return { path, yaml: text };
  if (kind === "boolean") return { path, value: text === "true" };
  const number = Number(text);
  return { path, value: kind === "number" && Number.isFinite(number) ? number : text };
}
