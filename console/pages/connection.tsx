import { useMemo, useState } from "preact/hooks";
import type { Connectable, ShownConfig } from "../../src/server/workshop/config-editor.ts";
import { address, go, pathTo } from "../address.ts";
import { FoundDraft, useDraft } from "../parts/forms/draft.tsx";
import { Link } from "../parts/link.tsx";
import { Loaded, useResource } from "../parts/resource.tsx";
import { Prose } from "../parts/small-parts.tsx";
import { AppliedNote } from "../parts/workshop/applied-note.tsx";
import { ApplyChange } from "../parts/workshop/apply-change.tsx";
import {
  type ConnectionForm,
  changedParts,
  changesOf,
  connectionNames,
  freeName,
  isMissing,
  isNewConnection,
  knownConnection,
  settingsOf,
  startTexts,
  withParts,
} from "../parts/workshop/connection-form.ts";
import { ConnectionTest } from "../parts/workshop/connection-test.tsx";
import { OperationsField } from "../parts/workshop/operations-field.tsx";
import { Field } from "../parts/workshop/option-field.tsx";
import {
  answersQueries,
  firstUse,
  isUsual,
  keyOf,
  kindFields,
  type OptionField,
  presetFields,
} from "../parts/workshop/option-form.ts";
import { say, sayCapability } from "../say.ts";
import { may } from "../session.ts";

/** One connection: its settings, a test of them, and the resulting change of the file. */
export function Connection({ name }: { readonly name: string }) {
  const config = useResource<ShownConfig>("admin/config", { isLive: false });
  const choices = useResource<Connectable>("admin/config/connectable", { isLive: false });
  const isNew = isNewConnection(name, address.value.query);
  const title = isNew ? say("connect.choose") : name;
  if (!may("admin")) {
    return (
      <>
        <h1>{title}</h1>
        <p>
          {say("connect.onlyAdmins")} {isNew ? null : <Link to={settingsOf(name)}>{say("settings.values")}</Link>}
        </p>
      </>
    );
  }
  return (
    <>
      <h1>{title}</h1>
      <Loaded of={config}>
        {(shown) => (
          <>
            {/* A shared address may be opened later, after other changes. */}
            {address.value.query.get("applied") === shown.version ? (
              <AppliedNote
                {...{ version: shown.version, needsRestart: [] }}
                onUndone={() => go(`${pathTo("connect")}?undone=1`, { isReplaced: true })}
              />
            ) : null}
            {isNew || connectionNames(shown).includes(name) ? (
              <Loaded of={choices}>
                {(connectable) => (
                  <Form key={isNew} {...{ isNew, shown, connectable }} given={name} onApplied={config.reload} />
                )}
              </Loaded>
            ) : (
              <p>
                {say("connect.unknown")} <Link to="connect">{say("nav.connect")}</Link>
              </p>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

/** The form with what was typed into it. Only this page writes these texts. */
const typedForm = (start: ConnectionForm, text: string): ConnectionForm =>
  withParts(start, JSON.parse(text) as Partial<ConnectionForm>);

interface FormNeeds {
  readonly isNew: boolean;
  /** The name in the address; of a new connection it says nothing. */
  readonly given: string;
  readonly shown: ShownConfig;
  readonly connectable: Connectable;
  readonly onApplied: () => void;
}

function Form({ isNew, given, shown, connectable, onApplied }: FormNeeds) {
  const known = useMemo(() => knownConnection(shown, isNew ? null : given), [shown, isNew, given]);
  const { query } = address.value;
  const presetName = query.get("preset") ?? known.texts["preset"] ?? null;
  const preset = connectable.presets.find((one) => one.name === presetName);
  const type = preset?.type ?? query.get("type") ?? known.texts["type"] ?? "http";
  const fields = useMemo(
    () => (preset === undefined ? kindFields(type, connectable.kinds) : presetFields(preset, connectable.kinds)),
    [preset, type, connectable],
  );
  const isReadOnly = shown.readOnlyBecause !== null;
  const taken = useMemo(() => (isNew ? connectionNames(shown) : []), [shown, isNew]);
  const [first] = useState<ConnectionForm>(() => ({
    name: freeName(taken),
    ...(preset === undefined ? firstUse(type) : { serves: preset.serves, takesEvents: preset.takesEvents }),
    texts: startTexts(fields, { type, hasPreset: preset !== undefined, isReadOnly }),
  }));
  // What nobody has typed here follows the file: somebody else may have changed it meanwhile.
  const start = useMemo(() => (isNew ? first : { ...known, name: given }), [isNew, given, first, known]);
  const [applied, setApplied] = useState("{}");
  const draft = useDraft(`connection ${isNew ? "*" : given} ${presetName ?? type}`, applied);
  const kept = useMemo(() => typedForm(start, draft.text), [start, draft.text]);
  // A secret is saved by the adapter before the form knows its place: other fields may have been changed meanwhile.
  const change = (partOf: (before: ConnectionForm) => Partial<ConnectionForm>) =>
    draft.change(({ text }) => {
      const before = typedForm(start, text);
      return { text: JSON.stringify(changedParts({ ...before, ...partOf(before) }, start)) };
    });
  // Where the adapter cannot keep a secret, somebody may type it into the form. The browser must not keep it either.
  const [secrets, setSecrets] = useState<Readonly<Record<string, string>>>({});
  const form = useMemo(() => ({ ...kept, texts: { ...kept.texts, ...secrets } }), [kept, secrets]);
  const { name, serves, takesEvents } = form;
  const textOf = (field: OptionField) => form.texts[keyOf(field)] ?? "";
  const setTexts = (typed: Readonly<Record<string, string>>) =>
    change(({ texts }) => ({ texts: { ...texts, ...typed } }));
  const setText = (field: OptionField, text: string) => {
    const typed = { [keyOf(field)]: text };
    if (field.kind === "secret" && isReadOnly) setSecrets((before) => ({ ...before, ...typed }));
    else setTexts(typed);
  };
  const isTaken = taken.includes(name);
  const isComplete = name !== "" && !isTaken && !fields.some((field) => isMissing(field, form.texts));
  const changes = useMemo(
    // A new connection must not become a part of another one.
    () => (isTaken ? [] : changesOf(form, { type, presetName, fields, known })),
    [form, type, presetName, fields, known, isTaken],
  );
  // A preset brings what is usual.
  const isFirst = (field: OptionField) =>
    field.isRequired || textOf(field) !== "" || (preset === undefined && isUsual(field, type));
  const isOffered = (capability: string) => answersQueries(type) || serves.includes(capability);
  const [inView, more] = [fields.filter(isFirst), fields.filter((field) => !isFirst(field))];
  const shownFields = (some: readonly OptionField[]) =>
    some.map((field) => {
      const about = { field, connection: name, isReadOnly };
      return field.kind === "operations" ? (
        <OperationsField key={keyOf(field)} {...about} texts={form.texts} onTexts={setTexts} />
      ) : (
        <Field key={keyOf(field)} {...about} text={textOf(field)} onText={(text) => setText(field, text)} />
      );
    });
  return (
    <>
      <FoundDraft of={draft} />
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
              disabled={!isNew}
              aria-invalid={isTaken}
              onInput={({ currentTarget }) => change(() => ({ name: currentTarget.value.trim() }))}
            />
          </label>
          {isTaken ? (
            <p class="error" role="alert">
              {say("connect.taken")} <Link to={pathTo("connect", name)}>{name}</Link>
            </p>
          ) : null}
          {shownFields(inView)}
          {more.length === 0 ? null : (
            <details>
              <summary>{say("connect.more")}</summary>
              {shownFields(more)}
            </details>
          )}
          <fieldset>
            <legend>{say("connect.serves")}</legend>
            {connectable.capabilities.filter(isOffered).map((capability) => (
              <label key={capability} class="check">
                <input
                  type="checkbox"
                  checked={serves.includes(capability)}
                  onChange={() =>
                    change(({ serves: before }) => ({
                      serves: before.includes(capability)
                        ? before.filter((one) => one !== capability)
                        : [...before, capability],
                    }))
                  }
                />{" "}
                {sayCapability(capability)} <code class="quiet">{capability}</code>
              </label>
            ))}
            <label class="check">
              <input
                type="checkbox"
                checked={takesEvents}
                onChange={() => change((before) => ({ takesEvents: !before.takesEvents }))}
              />{" "}
              {say("connect.takesEvents")}
            </label>
          </fieldset>
        </form>
        <ConnectionTest {...{ name, changes, isComplete }} isUsed={serves.length > 0 || takesEvents} />
      </div>
      <ApplyChange
        changes={changes}
        shown={shown}
        onApplied={(version) => {
          draft.sent();
          setApplied(draft.text);
          onApplied();
          const applied = new URLSearchParams({ applied: version });
          if (isNew) go(`${pathTo("connect", name)}?${applied}`, { isReplaced: true });
        }}
        onUndone={onApplied}
      />
    </>
  );
}
