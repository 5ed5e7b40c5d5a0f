import { useId } from "preact/hooks";
import { failureKinds } from "../../../src/engine/journal-view/entries/failure-kind.ts";
import { address, setFilters } from "../../address.ts";
import { say, sayTopic } from "../../say.ts";
import { consoleTexts } from "../../texts/catalogue.ts";

/** Everything that a person should look at: refused, or not reached. Entries that wait behind these need no action. */
export const attentionKinds = "refused,unreachable";
/** Entries that can be sent again. */
const finishedStates = "delivered,discarded";

const filterNames = ["failure", "state", "target", "order", "topic", "from", "to"] as const;

/** The filter in the address. Lists and actions use the same one. */
export function deliveryFilter(): Readonly<Record<string, string>> {
  const { query } = address.value;
  return Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = query.get(name);
      return value === null || value === "" ? [] : [[name, value] as const];
    }),
  );
}

const choices = [
  { text: "failure.all", failure: null, state: null },
  { text: "overview.attention", failure: attentionKinds, state: null },
  ...failureKinds.map((kind) => ({ text: `failure.${kind}` as const, failure: kind, state: null })),
  { text: "failure.finished", failure: null, state: finishedStates },
] as const;

const fields = [
  { name: "order", text: "order.title" },
  { name: "target", text: "entry.target" },
  { name: "topic", text: "entry.what" },
  { name: "from", text: "filter.from" },
  { name: "to", text: "filter.to" },
] as const;

/** Chooses what is listed. The choice is kept in the address, so that a list can be shared. */
export function DeliveryFilters() {
  const filter = deliveryFilter();
  const isNarrow = fields.some(({ name }) => filter[name] !== undefined);
  return (
    <div class="filters">
      <fieldset class="choices">
        <legend class="hidden">{say("failure.title")}</legend>
        {choices.map(({ text, failure, state }) => (
          <button
            key={text}
            type="button"
            aria-pressed={(filter["failure"] ?? null) === failure && (filter["state"] ?? null) === state}
            onClick={() => setFilters({ failure, state, cause: null, before: null })}
          >
            {say(text)}
          </button>
        ))}
      </fieldset>
      <details open={isNarrow}>
        <summary>{say("filter.more")}</summary>
        <div class="filter-fields">
          {fields.map(({ name, text }) => (
            <Field
              key={name}
              label={say(text)}
              kind={name === "topic" ? "topic" : name === "from" || name === "to" ? "time" : "text"}
              value={filter[name] ?? ""}
              onValue={(value) => setFilters({ [name]: value.trim(), cause: null, before: null })}
            />
          ))}
          {isNarrow ? (
            <button
              type="button"
              onClick={() =>
                setFilters({ ...Object.fromEntries(fields.map(({ name }) => [name, null])), before: null })
              }
            >
              {say("filter.clear")}
            </button>
          ) : null}
        </div>
      </details>
    </div>
  );
}

/** What can be delivered, by the names that the address has. */
const topics = Object.keys(consoleTexts).flatMap((key) =>
  key.startsWith("topic.") ? [key.slice("topic.".length)] : [],
);

function Field(props: {
  readonly label: string;
  readonly kind: "text" | "time" | "topic";
  readonly value: string;
  readonly onValue: (value: string) => void;
}) {
  const { label, kind, value } = props;
  const id = useId();
  const onChange = ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
    props.onValue(currentTarget.value);
  return (
    <div>
      <label for={id}>{label}</label>
      {kind === "topic" ? (
        <select id={id} value={value} onChange={onChange}>
          <option value="">{say("failure.all")}</option>
          {/* An address may name one that this version does not know. */}
          {(value === "" || topics.includes(value) ? topics : [...topics, value]).map((one) => (
            <option key={one} value={one}>
              {sayTopic(one)}
            </option>
          ))}
        </select>
      ) : kind === "time" ? (
        <input id={id} type="datetime-local" value={value} onChange={onChange} />
      ) : (
        <input id={id} type="search" value={value} onChange={onChange} />
      )}
    </div>
  );
}
