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
  readonly kind: "text" | "number" | "boolean" | "choice" | "secret" | "yaml";
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  /** A preset asks for it, in the reader's language. */
  readonly isAsked: boolean;
  /** What it would be without a value, or an example of one. */
  readonly example: string;
}

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
        path: option.split("."),
        description,
        kind,
        choices: [],
        isRequired: true,
        isAsked: true,
        // A secret is usually kept in the variable that the example names.
        example: isSecret === true ? `\${${example}}` : String(example),
      };
    },
  );
  const names = new Set(asked.map(({ path }) => path[0]));
  const others = kindFields(preset.type, kinds).filter(({ path }) => !names.has(path[0]) && path[0] !== "preset");
  return [...asked, ...others.map((field) => ({ ...field, isRequired: false }))];
}

export function kindFields(type: string, kinds: Connectable["kinds"]): OptionField[] {
  const { properties = {}, required = [] } = (kinds.find((one) => one.type === type)?.options ?? {}) as OptionSchema;
  const fields = Object.entries(properties).map(([name, schema]): OptionField => {
    const { description = "", enum: choices = [], default: usual } = schema;
    const isPlain = typeof usual === "string" || typeof usual === "number" || typeof usual === "boolean";
    const kind = kindOf(name, schema);
    return {
      ...{ path: [name], description, kind, choices, isRequired: required.includes(name), isAsked: false },
      example: isPlain ? String(usual) : (starts[type]?.[name] ?? ""),
    };
  });
  // Required fields come first: nobody reads thirty fields.
  return fields.toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired));
}

function kindOf(name: string, { type, enum: choices }: OptionSchema): OptionField["kind"] {
  if (choices !== undefined) return "choice";
  if (type === "boolean") return "boolean";
  if (type === "integer" || type === "number") return "number";
  if (type === "string") return /password|secret|token/i.test(name) ? "secret" : "text";
  return "yaml";
}

/** A first line for settings that only the person can know, to be changed. */
const starts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  http: {
    auth: `kind: bearer\ntoken: \${ERP_TOKEN}`,
    operations:
      "listWorkOrders:\n  path: /orders\n  records: data\n  map:\n    number: id\n    dueDate: due\n    requests:\n      each: lines\n      map: { itemNumber: item, requestedAmount: qty }",
  },
  files: { in: "- { topic: workOrders, folder: orders }" },
  webhook: { secrets: `- \${WEBHOOK_SECRET}` },
};

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
