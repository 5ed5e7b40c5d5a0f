import { useEffect, useId, useRef, useState } from "preact/hooks";
import { post } from "../../api.ts";
import { reachedBy } from "../../live.ts";
import { say } from "../../say.ts";
import { session } from "../../session.ts";
import { Prose } from "../small-parts.tsx";
import { keyOf, type OptionField } from "./option-form.ts";

interface FieldNeeds {
  readonly field: OptionField;
  readonly text: string;
  readonly connection: string;
  /** Nothing can be kept beside the file then, no secret either. */
  readonly isReadOnly: boolean;
  /** What the field is called on the page; otherwise its path. */
  readonly label?: string;
  readonly onText: (text: string) => void;
}

const sayWhere = (isReadOnly: boolean): string =>
  isReadOnly ? say("connect.secretReference", { reference: `\${…}` }) : say("connect.secret");

/**
 * One option of a connection. The description is read after the name and the value, not as a part of the name.
 */
export function Field(props: FieldNeeds) {
  const { field } = props;
  const id = useId();
  const isSecret = field.kind === "secret";
  return (
    <div class="field">
      <label for={id}>{props.label ?? keyOf(field)}</label>{" "}
      {field.isRequired ? <span class="quiet">{say("connect.required")}</span> : null}
      {field.kind === "yaml" ? <span class="quiet">{say("connect.yaml")}</span> : null}
      {isSecret && !props.isReadOnly ? <SecretInput {...props} id={id} /> : <Input {...props} id={id} />}
      <span class="quiet" id={`${id}-text`}>
        <Prose text={field.description} /> {isSecret ? sayWhere(props.isReadOnly) : null}
      </span>
    </div>
  );
}

function Input({ field, text, onText, id }: FieldNeeds & { readonly id: string }) {
  const common = { id, "aria-describedby": `${id}-text` };
  if (field.kind === "yaml" || field.kind === "lines") {
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
        <option value="">
          {field.example === "" && field.isRequired ? say("connect.chooseOperation") : field.example}
        </option>
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
  // The field may be left before the page has been drawn with what was typed last.
  const latest = useRef("");
  const type = (value: string) => {
    latest.current = value;
    setTyped(value);
  };
  const keep = async (): Promise<void> => {
    const value = latest.current;
    if (value === "") return;
    setError("");
    const sentTo = reachedBy.value;
    try {
      const name = [connection, ...field.path].join("-");
      const { reference } = await post<{ readonly reference: string }>("admin/config/secrets", { name, value });
      if (latest.current === value) type("");
      onText(reference);
    } catch (problem) {
      // Somebody has signed in again while this was on its way.
      if (session.value !== null && reachedBy.value !== sentTo) await keep();
      else setError((problem as Error).message);
    }
  };
  const reached = reachedBy.value;
  useEffect(() => {
    // The field was left while the session had ended, or the adapter was away. Nobody would think of leaving it again.
    if (error !== "") void keep();
  }, [reached]);
  return (
    <>
      <input
        id={id}
        aria-describedby={`${id}-text`}
        type="password"
        autocomplete="off"
        value={typed}
        placeholder={text}
        onInput={(event) => type(event.currentTarget.value)}
        onBlur={() => void keep()}
      />
      {error === "" ? null : <span class="error">{error}</span>}
    </>
  );
}
