import { useEffect, useRef, useState } from "preact/hooks";
import { say } from "../../say.ts";
import { Prose } from "../small-parts.tsx";
import { isWritten } from "./connection-form.ts";
import { Field } from "./option-field.tsx";
import { keyOf, type OperationForm, type OptionField } from "./option-form.ts";

interface OperationNeeds {
  readonly texts: Readonly<Record<string, string>>;
  readonly connection: string;
  readonly isReadOnly: boolean;
  readonly onTexts: (texts: Readonly<Record<string, string>>) => void;
}

/** What nearly every operation needs stays in sight, also if it is empty. */
const usual = ["method", "path", "records", "body", "sql", "folder", "format", "map"];

/** An option with a form for each operation: those that are written, and a choice of the others. */
export function OperationsField({ field, ...needs }: OperationNeeds & { readonly field: OptionField }) {
  const [added, setAdded] = useState<readonly string[]>([]);
  const isShown = (one: OperationForm) => added.includes(one.name) || isWritten(one, needs.texts);
  const others = field.operations.filter((one) => !isShown(one));
  const choice = useRef<HTMLSelectElement>(null);
  // If there is only one, it is shown open.
  const [isOpen] = useState(() => field.operations.filter(isShown).length === 1);
  return (
    <fieldset class="operations">
      <legend>{keyOf(field)}</legend>
      <p class="quiet">
        <Prose text={field.description} />
      </p>
      {field.operations.filter(isShown).map((one) => (
        <Operation
          key={one.name}
          {...{ ...needs, operation: one, isOpen, isNew: added.includes(one.name) }}
          onRemove={() => {
            // The button that was pressed is gone.
            choice.current?.focus();
            setAdded((before) => before.filter((name) => name !== one.name));
            needs.onTexts(Object.fromEntries(one.fields.map((inner) => [keyOf(inner), ""])));
          }}
        />
      ))}
      {others.length === 0 ? null : (
        <label>
          {say("connect.addOperation")}
          <select
            ref={choice}
            value=""
            onChange={({ currentTarget }) => {
              const { value } = currentTarget;
              if (value !== "") setAdded((before) => [...before, value]);
            }}
          >
            <option value="">{say("connect.chooseOperation")}</option>
            {others.map(({ name, description }) => (
              <option key={name} value={name}>{`${name}: ${description}`}</option>
            ))}
          </select>
        </label>
      )}
    </fieldset>
  );
}

function Operation({
  operation: { name, description, fields },
  isOpen,
  isNew,
  onRemove,
  ...needs
}: OperationNeeds & {
  readonly operation: OperationForm;
  readonly isOpen: boolean;
  /** Chosen just now. */
  readonly isNew: boolean;
  readonly onRemove: () => void;
}) {
  const form = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    if (isNew) form.current?.querySelector<HTMLElement>("input, textarea, select")?.focus();
  }, [isNew]);
  const textOf = (field: OptionField) => needs.texts[keyOf(field)] ?? "";
  // Decided once: a field must not move away while somebody empties it.
  const [firstKeys] = useState(
    () => new Set(fields.filter((field) => isUsual(field) || textOf(field) !== "").map(keyOf)),
  );
  const [first, more] = [
    fields.filter((one) => firstKeys.has(keyOf(one))),
    fields.filter((one) => !firstKeys.has(keyOf(one))),
  ];
  const shown = (some: readonly OptionField[]) =>
    some.map((field) => (
      <Field
        key={keyOf(field)}
        {...{ field, text: textOf(field), connection: needs.connection, isReadOnly: needs.isReadOnly }}
        label={field.path.at(-1) ?? ""}
        onText={(text) => needs.onTexts({ [keyOf(field)]: text })}
      />
    ));
  return (
    <details class="operation" open={isNew || isOpen}>
      <summary>
        <code>{name}</code> <span class="quiet">{summaryOf(fields, textOf)}</span>
      </summary>
      <p class="quiet">
        <Prose text={description} />
      </p>
      <fieldset ref={form} aria-label={name}>
        {shown(first)}
        {more.length === 0 ? null : (
          <details>
            <summary>{say("connect.more")}</summary>
            {shown(more)}
          </details>
        )}
      </fieldset>
      <button type="button" class="small" onClick={onRemove}>
        {say("connect.removeOperation", { name })}
      </button>
    </details>
  );
}

const isUsual = ({ path, isRequired }: OptionField): boolean => isRequired || usual.includes(path.at(-1) ?? "");

/** What the operation does, in a line: `GET /orders`. */
const summaryOf = (fields: readonly OptionField[], textOf: (field: OptionField) => string): string =>
  ["method", "path", "folder"]
    .flatMap((name) => fields.filter(({ path }) => path.at(-1) === name).map(textOf))
    .filter((text) => text !== "")
    .join(" ");
