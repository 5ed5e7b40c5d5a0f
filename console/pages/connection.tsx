import { useId, useMemo, useState } from "preact/hooks";
import type { Connectable, GivenChange, ShownConfig } from "../../src/server/workshop/config-editor.ts";
import { address, go, pathTo } from "../address.ts";
import { post } from "../api.ts";
import { Loaded, useResource } from "../parts/resource.tsx";
import { Prose } from "../parts/small-parts.tsx";
import { ApplyChange } from "../parts/workshop/apply-change.tsx";
import { ConnectionTest } from "../parts/workshop/connection-test.tsx";
import { kindFields, type OptionField, presetFields, typedValue } from "../parts/workshop/option-form.ts";
import { say, sayCapability } from "../say.ts";

/** One connection: its settings, a test of them, and the resulting change of the file. */
export function Connection({ name }: { readonly name: string }) {
  const config = useResource<ShownConfig>("admin/config", { isLive: false });
  const choices = useResource<Connectable>("admin/config/connectable", { isLive: false });
  return (
    <>
      <h1>{name === "new" ? say("connect.choose") : name}</h1>
      {address.value.query.has("applied") ? (
        <p class="good-text" role="status">
          {say("connect.applied")}
        </p>
      ) : null}
      <Loaded of={config}>
        {(shown) => (
          <Loaded of={choices}>
            {(connectable) => (
              <Form key={name} given={name} shown={shown} connectable={connectable} onApplied={config.reload} />
            )}
          </Loaded>
        )}
      </Loaded>
    </>
  );
}

interface FormNeeds {
  readonly given: string;
  readonly shown: ShownConfig;
  readonly connectable: Connectable;
  readonly onApplied: () => void;
}

function Form({ given, shown, connectable, onApplied }: FormNeeds) {
  const known = useMemo(() => knownValues(shown, given), [shown, given]);
  const { query } = address.value;
  const presetName = query.get("preset") ?? known.texts["preset"] ?? null;
  const preset = connectable.presets.find((one) => one.name === presetName);
  const type = preset?.type ?? query.get("type") ?? known.texts["type"] ?? "http";
  const fields = useMemo(
    () => (preset === undefined ? kindFields(type, connectable.kinds) : presetFields(preset, connectable.kinds)),
    [preset, type, connectable],
  );
  const [name, setName] = useState(given === "new" ? "erp" : given);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() => ({
    ...(given === "new"
      ? startTexts(fields, { hasPreset: preset !== undefined, isReadOnly: shown.readOnlyBecause !== null })
      : {}),
    ...known.texts,
  }));
  const [serves, setServes] = useState<readonly string[]>(given === "new" ? (preset?.serves ?? []) : known.serves);
  const [takesEvents, setTakesEvents] = useState(given === "new" ? preset?.takesEvents === true : known.takesEvents);
  const keyOf = ({ path }: OptionField) => path.join(".");
  const textOf = (field: OptionField) => texts[keyOf(field)] ?? "";
  const setText = (field: OptionField, text: string) => setTexts((before) => ({ ...before, [keyOf(field)]: text }));
  const isComplete = name !== "" && fields.every((field) => !field.isRequired || textOf(field).trim() !== "");
  const changes = useMemo(
    () => changesOf({ name, type, presetName, fields, texts, known, serves, takesEvents }),
    [name, type, presetName, fields, texts, known, serves, takesEvents],
  );
  // A preset describes its operations itself.
  const isFirst = (field: OptionField) =>
    field.isRequired || textOf(field) !== "" || (preset === undefined && field.path[0] === "operations");
  const [first, more] = [fields.filter(isFirst), fields.filter((field) => !isFirst(field))];
  const shownFields = (some: readonly OptionField[]) =>
    some.map((field) => (
      <Field
        key={keyOf(field)}
        field={field}
        text={textOf(field)}
        connection={name}
        isReadOnly={shown.readOnlyBecause !== null}
        onText={(text) => setText(field, text)}
      />
    ));
  return (
    <>
      <div class="columns set-up">
        <form class="panel" onSubmit={(event) => event.preventDefault()}>
          <h2>{say("connect.options")}</h2>
          <p class="quiet">
            <Prose text={preset?.summary ?? connectable.kinds.find((one) => one.type === type)?.summary ?? ""} />
          </p>
          <label>
            {say("connect.name")}
            <input
              value={name}
              pattern="[A-Za-z][A-Za-z0-9_\-]*"
              disabled={given !== "new"}
              onInput={(event) => setName(event.currentTarget.value.trim())}
            />
          </label>
          {shownFields(first)}
          {more.length === 0 ? null : (
            <details>
              <summary>{say("connect.more")}</summary>
              {shownFields(more)}
            </details>
          )}
          <fieldset>
            <legend>{say("connect.serves")}</legend>
            {connectable.capabilities.map((capability) => (
              <label key={capability} class="check">
                <input
                  type="checkbox"
                  checked={serves.includes(capability)}
                  onChange={() =>
                    setServes((before) =>
                      before.includes(capability)
                        ? before.filter((one) => one !== capability)
                        : [...before, capability],
                    )
                  }
                />{" "}
                {sayCapability(capability)} <code class="quiet">{capability}</code>
              </label>
            ))}
            <label class="check">
              <input type="checkbox" checked={takesEvents} onChange={() => setTakesEvents((before) => !before)} />{" "}
              {say("connect.takesEvents")}
            </label>
          </fieldset>
        </form>
        <ConnectionTest name={name} changes={changes} isComplete={isComplete} />
      </div>
      <ApplyChange
        changes={changes}
        shown={shown}
        onApplied={() => {
          onApplied();
          if (given === "new") go(`${pathTo("connect", name)}?applied=1`, { isReplaced: true });
        }}
      />
    </>
  );
}

function startTexts(
  fields: readonly OptionField[],
  { hasPreset, isReadOnly }: { readonly hasPreset: boolean; readonly isReadOnly: boolean },
): Record<string, string> {
  const started = fields.filter(
    ({ kind, isRequired, path }) =>
      (isRequired && (kind !== "secret" || isReadOnly)) || (path[0] === "operations" && !hasPreset),
  );
  return Object.fromEntries(started.map(({ path, example }) => [path.join("."), example]));
}

interface FieldNeeds {
  readonly field: OptionField;
  readonly text: string;
  readonly connection: string;
  /** Nothing can be kept beside the file then, no secret either. */
  readonly isReadOnly: boolean;
  readonly onText: (text: string) => void;
}

const sayWhere = (isReadOnly: boolean): string =>
  isReadOnly ? say("connect.secretReference", { reference: `\${…}` }) : say("connect.secret");

/** The description is read after the name and the value, not as a part of the name. */
function Field(props: FieldNeeds) {
  const { field } = props;
  const id = useId();
  const isSecret = field.kind === "secret";
  return (
    <div class="field">
      <label for={id}>{field.path.join(".")}</label>{" "}
      {field.isRequired ? <span class="quiet">{say("connect.required")}</span> : null}
      {field.kind === "yaml" ? <span class="quiet">{say("connect.yaml")}</span> : null}
      {isSecret && !props.isReadOnly ? <SecretInput {...props} id={id} /> : <Input {...props} id={id} />}
      <span class="quiet" id={`${id}-text`}>
        {/* What a known system must be told is in the reader's language; other options are described as in the reference. */}
        <span lang={field.isAsked ? undefined : "en"}>
          <Prose text={field.description} />
        </span>{" "}
        {isSecret ? sayWhere(props.isReadOnly) : null}
      </span>
    </div>
  );
}

function Input({ field, text, onText, id }: FieldNeeds & { readonly id: string }) {
  const common = { id, "aria-describedby": `${id}-text` };
  if (field.kind === "yaml") {
    return (
      <textarea
        {...common}
        class="mono"
        rows={Math.min(16, Math.max(3, text.split("\n").length + 1))}
        value={text}
        placeholder={field.example}
        spellcheck={false}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    );
  }
  if (field.kind === "choice" || field.kind === "boolean") {
    return (
      <select {...common} value={text} onChange={(event) => onText(event.currentTarget.value)}>
        <option value="">{field.example}</option>
        {(field.kind === "boolean" ? ["true", "false"] : field.choices).map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    );
  }
  return (
    <input
      {...common}
      value={text}
      inputMode={field.kind === "number" ? "decimal" : undefined}
      placeholder={field.example}
      required={field.isRequired}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  );
}

/** The secret is saved when the field is left. The form then only knows where it is kept. */
function SecretInput({ field, text, connection, onText, id }: FieldNeeds & { readonly id: string }) {
  const [typed, setTyped] = useState("");
  const [error, setError] = useState("");
  const keep = async () => {
    if (typed === "") return;
    const name = [connection, ...field.path].join("-");
    const { reference } = await post<{ readonly reference: string }>("admin/config/secrets", { name, value: typed });
    setTyped("");
    onText(reference);
  };
  return (
    <>
      <input
        id={id}
        aria-describedby={`${id}-text`}
        type="password"
        autocomplete="off"
        value={typed}
        placeholder={text}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => {
          keep().catch((problem: Error) => setError(problem.message));
        }}
      />
      {error === "" ? null : <span class="error">{error}</span>}
    </>
  );
}

/** Reads the settings of a connection from the file, as texts of the form. */
function knownValues({ values }: ShownConfig, name: string) {
  const texts: Record<string, string> = {};
  const whole: Record<string, unknown> = {};
  for (const { path, value } of values) {
    if (path[0] !== "connectors" || path[1] !== name) continue;
    const [, , ...inner] = path;
    texts[inner.join(".")] = typeof value === "object" ? JSON.stringify(value) : String(value);
    put(whole, inner, value);
  }
  // A YAML field shows the whole section.
  for (const [member, value] of Object.entries(whole)) {
    if (typeof value === "object" && value !== null) texts[member] = JSON.stringify(value, null, 2);
  }
  const serves = values.flatMap(({ path, value }) => (path[0] === "serve" && value === name ? [path[1] ?? ""] : []));
  const takesEvents = values.some(({ path, value }) => path.join(".") === "events.to" && value === name);
  return { texts, serves, takesEvents };
}

function put(owner: Record<string, unknown>, [first = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) owner[first] = value;
  else {
    owner[first] ??= {};
    // Created in the line above, or for an earlier path.
    put(owner[first] as Record<string, unknown>, rest, value);
  }
}

function changesOf(form: {
  readonly name: string;
  readonly type: string;
  readonly presetName: string | null;
  readonly fields: readonly OptionField[];
  readonly texts: Readonly<Record<string, string>>;
  readonly known: ReturnType<typeof knownValues>;
  readonly serves: readonly string[];
  readonly takesEvents: boolean;
}): GivenChange[] {
  const { name, type, presetName, fields, texts, known, serves, takesEvents } = form;
  if (name === "") return [];
  const at = (...path: readonly string[]) => ["connectors", name, ...path];
  const head = [
    ...(known.texts["type"] === undefined ? [{ path: at("type"), value: type }] : []),
    ...(presetName !== null && known.texts["preset"] === undefined ? [{ path: at("preset"), value: presetName }] : []),
  ];
  const options = fields.flatMap((field): GivenChange[] => {
    const key = field.path.join(".");
    const text = texts[key] ?? "";
    if (text === (known.texts[key] ?? "")) return [];
    return [{ ...typedValue(field, text), path: at(...field.path) }];
  });
  const served = [...new Set([...serves, ...known.serves])].flatMap((capability): GivenChange[] => {
    const [is, was] = [serves.includes(capability), known.serves.includes(capability)];
    return is === was ? [] : [{ path: ["serve", capability], ...(is ? { value: name } : {}) }];
  });
  const events =
    takesEvents === known.takesEvents ? [] : [{ path: ["events", "to"], ...(takesEvents ? { value: name } : {}) }];
  return [...head, ...options, ...served, ...events];
}
