import type { GivenChange, ShownConfig } from "../../../src/server/workshop/config-editor.ts";
import { firstOperations, keyOf, type OperationForm, type OptionField, typedValue } from "./option-form.ts";
import { yamlText } from "./yaml-text.ts";

/** What the file says about a connection, as the fields of a form show it. */
interface KnownConnection {
  /** By the path of the option, joined by dots. */
  readonly texts: Readonly<Record<string, string>>;
  /** The capabilities that it serves. */
  readonly serves: readonly string[];
  readonly takesEvents: boolean;
}

export interface ConnectionForm extends KnownConnection {
  readonly name: string;
}

/** The parts of a form that somebody has changed: what the file says about the others may change meanwhile. */
export const changedParts = (form: ConnectionForm, start: ConnectionForm): Partial<ConnectionForm> => {
  const texts = Object.entries(form.texts).filter(([key, text]) => text !== (start.texts[key] ?? ""));
  const isServed = (capability: string) => start.serves.includes(capability);
  const isSameServed = form.serves.length === start.serves.length && form.serves.every(isServed);
  return {
    ...(form.name === start.name ? {} : { name: form.name }),
    ...(texts.length === 0 ? {} : { texts: Object.fromEntries(texts) }),
    ...(isSameServed ? {} : { serves: form.serves }),
    ...(form.takesEvents === start.takesEvents ? {} : { takesEvents: form.takesEvents }),
  };
};

export const withParts = (start: ConnectionForm, parts: Partial<ConnectionForm>): ConnectionForm => ({
  ...start,
  ...parts,
  texts: { ...start.texts, ...parts.texts },
});

export const connectionNames = ({ values }: ShownConfig): readonly string[] => [
  ...new Set(values.flatMap(({ path: [section, name] }) => (section === "connectors" && name ? [name] : []))),
];

/** The page that shows the settings of a connection to people who may not change them. */
export const settingsOf = (name: string): string =>
  `settings?${new URLSearchParams({ filter: `connectors.${name}.` })}`;

/** Whether an address is about a connection to be made. One in the file may be called `new`, too. */
export const isNewConnection = (name: string, query: URLSearchParams): boolean =>
  name === "new" && (query.has("preset") || query.has("type"));

/** The name that a new connection starts with. */
export function freeName(taken: readonly string[]): string {
  for (let nth = 2, name = "erp"; ; name = `erp-${nth++}`) if (!taken.includes(name)) return name;
}

/** What a new connection starts with. A preset describes its operations itself. */
export function startTexts(
  fields: readonly OptionField[],
  { type, hasPreset, isReadOnly }: { readonly type: string; readonly hasPreset: boolean; readonly isReadOnly: boolean },
): Record<string, string> {
  const started = fields.filter(({ kind, isRequired }) => isRequired && (kind !== "secret" || isReadOnly));
  return {
    ...Object.fromEntries(started.map((field) => [keyOf(field), field.example])),
    ...(hasPreset ? {} : firstOperations(type)),
  };
}

type Texts = Readonly<Record<string, string>>;

const isFilled = (texts: Texts, field: OptionField): boolean => (texts[keyOf(field)] ?? "").trim() !== "";

/** Whether anything is written about an operation. */
export const isWritten = ({ fields }: OperationForm, texts: Texts): boolean =>
  fields.some((field) => isFilled(texts, field));

/** Whether something that is needed is missing. */
export const isMissing = (field: OptionField, texts: Texts): boolean =>
  (field.isRequired && !isFilled(texts, field)) ||
  field.operations.some((one) => isWritten(one, texts) && one.fields.some((inner) => isMissing(inner, texts)));

/** Reads the settings of a connection from the file, as texts of the form. Of a new one there are none. */
export function knownConnection({ values }: ShownConfig, name: string | null): KnownConnection {
  if (name === null) return { texts: {}, serves: [], takesEvents: false };
  const texts: Record<string, string> = {};
  const whole: Record<string, unknown> = {};
  for (const { path, value } of values) {
    if (path[0] !== "connectors" || path[1] !== name) continue;
    const [, , ...inner] = path;
    texts[inner.join(".")] = typeof value === "object" ? yamlText(value) : String(value);
    put(whole, inner, value);
  }
  addSections(texts, whole, "");
  const serves = values.flatMap(({ path, value }) => (path[0] === "serve" && value === name ? [path[1] ?? ""] : []));
  const takesEvents = values.some(({ path, value }) => path.join(".") === "events.to" && value === name);
  return { texts, serves, takesEvents };
}

/** A YAML field shows a whole section. */
function addSections(texts: Record<string, string>, owner: object, path: string): void {
  for (const [member, value] of Object.entries(owner)) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) continue;
    texts[path + member] = yamlText(value);
    addSections(texts, value, `${path}${member}.`);
  }
}

function put(owner: Record<string, unknown>, [first = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) owner[first] = value;
  else {
    owner[first] ??= {};
    // Created in the line above, or for an earlier path.
    put(owner[first] as Record<string, unknown>, rest, value);
  }
}

/** The changes of the file that turn what it says into what the form says. */
export function changesOf(
  { name, texts, serves, takesEvents }: ConnectionForm,
  about: {
    readonly type: string;
    readonly presetName: string | null;
    readonly fields: readonly OptionField[];
    readonly known: KnownConnection;
  },
): GivenChange[] {
  const { type, presetName, fields, known } = about;
  if (name === "") return [];
  const at = (...path: readonly string[]) => ["connectors", name, ...path];
  const head = [
    ...(known.texts["type"] === undefined ? [{ path: at("type"), value: type }] : []),
    ...(presetName !== null && known.texts["preset"] === undefined ? [{ path: at("preset"), value: presetName }] : []),
  ];
  const changesOfField = (field: OptionField): GivenChange[] => {
    if (field.kind === "operations") return field.operations.flatMap((one) => changesOfOperation(one, field));
    const key = keyOf(field);
    const text = texts[key] ?? "";
    if (text === (known.texts[key] ?? "")) return [];
    return [{ ...typedValue(field, text), path: at(...field.path) }];
  };
  // Without its last member, an operation would be left in the file as an empty section.
  const changesOfOperation = (one: OperationForm, { path }: OptionField): GivenChange[] =>
    isWritten(one, known.texts) && !isWritten(one, texts)
      ? [{ path: at(...path, one.name) }]
      : one.fields.flatMap(changesOfField);
  const options = fields.flatMap(changesOfField);
  const served = [...new Set([...serves, ...known.serves])].flatMap((capability): GivenChange[] => {
    const [is, was] = [serves.includes(capability), known.serves.includes(capability)];
    return is === was ? [] : [{ path: ["serve", capability], ...(is ? { value: name } : {}) }];
  });
  const events =
    takesEvents === known.takesEvents ? [] : [{ path: ["events", "to"], ...(takesEvents ? { value: name } : {}) }];
  return [...head, ...options, ...served, ...events];
}
