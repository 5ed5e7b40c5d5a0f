import { useState } from "preact/hooks";
import type {
  AppliedChange,
  GivenChange,
  ProposedChange,
  ShownConfig,
  ShownProblem,
} from "../../../src/server/workshop/config-editor.ts";
import { post } from "../../api.ts";
import { say } from "../../say.ts";
import { useAfterPause } from "../forms/after-pause.ts";
import { useSubmit } from "../forms/submit.ts";
import { CopyButton } from "../small-parts.tsx";
import { AppliedNote, UndoneNote } from "./applied-note.tsx";
import { Problems } from "./problems.tsx";

/** Where the text of the change or of the file cannot be read, there are only problems. */
type Proposed = ProposedChange | { readonly problems: readonly ShownProblem[] };
const nothingProposed = { version: undefined, diff: [], text: "" };

/** What the adapter shows in place of a secret. */
const mask = "***";

const Diff = ({ lines }: { readonly lines: readonly string[] }) => (
  <div class="code">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
    <pre tabIndex={0}>
      {lines.map((line, index) => (
        <span key={index} class={line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : undefined}>
          {`${line}\n`}
        </span>
      ))}
    </pre>
  </div>
);

/** Shows what a change does to the file, and applies it after a reason is given. */
export function ApplyChange(props: {
  readonly changes: readonly GivenChange[];
  readonly shown: ShownConfig;
  /** Called with the version of the file that the change has made. */
  readonly onApplied: (version: string) => void;
  readonly onUndone: () => void;
}) {
  const { changes, shown } = props;
  const [reason, setReason] = useState("");
  const [done, setDone] = useState<AppliedChange | "undone" | null>(null);
  const { isBusy, error, submit } = useSubmit();
  const [problems, setProblems] = useState<readonly ShownProblem[]>([]);
  const key = JSON.stringify(changes);
  const proposed = useAfterPause<Proposed>(
    key,
    changes.length === 0 ? null : (signal) => post<Proposed>("admin/config/propose", { changes }, signal),
  );
  const { answer, isCurrent } = proposed;
  const { version, diff, text } = answer !== null && "diff" in answer ? answer : nothingProposed;
  // What is shown is what is applied: not while the difference shown is that of an earlier text.
  const isReady =
    reason.trim() !== "" && isCurrent && answer !== null && answer.problems.length === 0 && diff.length > 0;
  const apply = async () => {
    const body = { changes, version: version ?? shown.version, reason };
    const result = await post<AppliedChange | { readonly problems: readonly ShownProblem[] }>(
      "admin/config/apply",
      body,
    );
    if ("problems" in result) return setProblems(result.problems);
    setProblems([]);
    setReason("");
    setDone(result);
    props.onApplied(result.version);
  };
  if (shown.readOnlyBecause === "started-by-code") {
    return <p class="notice">{say("connect.readOnly.started-by-code")}</p>;
  }
  return (
    <section aria-labelledby="diff-title">
      <h2 id="diff-title">{say("connect.diff")}</h2>
      {proposed.error === "" ? null : <p class="error">{proposed.error}</p>}
      <Problems problems={answer?.problems ?? []} />
      {diff.length > 0 ? (
        <Diff lines={diff} />
      ) : (
        <p class="quiet">{say(changes.length === 0 || isCurrent ? "connect.noDiff" : "state.loading")}</p>
      )}
      <Problems problems={problems} />
      {shown.readOnlyBecause !== null ? (
        <p>
          {say(`connect.readOnly.${shown.readOnlyBecause}`)}{" "}
          {diff.length === 0 ? null : <CopyButton text={text} label={say("connect.copy")} />}
          {text.includes(mask) ? <span class="warn-text text">{say("connect.masked", { mask })}</span> : null}
        </p>
      ) : (
        <form
          class="bar"
          onSubmit={(event) => {
            event.preventDefault();
            submit(apply);
          }}
        >
          <label class="grow">
            {say("act.reason")}
            <input required maxLength={1000} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
          </label>
          <button type="submit" class="primary" disabled={!isReady || isBusy}>
            {say("connect.apply")}
          </button>
        </form>
      )}
      {error === "" ? null : (
        <p class="error" role="alert">
          {error} {diff.length === 0 ? null : <CopyButton text={text} label={say("connect.copy")} />}
        </p>
      )}
      {done === "undone" ? <UndoneNote /> : null}
      {done === null || done === "undone" ? null : (
        <AppliedNote
          {...{ version: done.version, needsRestart: done.needsRestart }}
          onUndone={() => {
            setDone("undone");
            props.onUndone();
          }}
        />
      )}
    </section>
  );
}
