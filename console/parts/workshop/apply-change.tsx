import { useState } from "preact/hooks";
import type {
  AppliedChange,
  GivenChange,
  ProposedChange,
  ShownConfig,
  ShownProblem,
} from "../../../src/server/workshop/config-editor.ts";
import { post } from "../../api.ts";
import { language, say, sayText } from "../../say.ts";
import { useAfterPause } from "../forms/after-pause.ts";
import { CopyButton } from "../small-parts.tsx";

/** What the adapter shows in place of a secret. */
const mask = "***";

/** For screen readers: what is in another language than the page says so. */
const foreign = (of: string): string | undefined => (of === language.value ? undefined : of);

export const Problems = ({ problems }: { readonly problems: readonly ShownProblem[] }) =>
  problems.length === 0 ? null : (
    <div role="alert">
      <ul class="plain-list">
        {problems.map(({ text, hint, language: ofText = "en", hintLanguage = "en" }) => (
          <li key={text}>
            <span class="error" lang={foreign(sayText(text) === text ? ofText : language.value)}>
              {sayText(text)}
            </span>{" "}
            {hint === undefined ? null : (
              <span class="quiet" lang={foreign(hintLanguage)}>
                {hint}
              </span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );

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
  readonly onApplied: () => void;
}) {
  const { changes, shown } = props;
  const [reason, setReason] = useState("");
  const [done, setDone] = useState<AppliedChange | null>(null);
  const [error, setError] = useState("");
  const [problems, setProblems] = useState<readonly ShownProblem[]>([]);
  const key = JSON.stringify(changes);
  const proposed = useAfterPause<ProposedChange>(
    key,
    changes.length === 0 ? null : (signal) => post<ProposedChange>("admin/config/propose", { changes }, signal),
  );
  const { answer, isCurrent } = proposed;
  // What is shown is what is applied: not while the difference shown is that of an earlier text.
  const isReady =
    reason.trim() !== "" && isCurrent && answer !== null && answer.problems.length === 0 && answer.diff.length > 0;
  const apply = async () => {
    setError("");
    const body = { changes, version: answer?.version ?? shown.version, reason };
    const result = await post<AppliedChange | { readonly problems: readonly ShownProblem[] }>(
      "admin/config/apply",
      body,
    );
    if ("problems" in result) return setProblems(result.problems);
    setProblems([]);
    setReason("");
    setDone(result);
    props.onApplied();
  };
  if (shown.readOnlyBecause === "started-by-code") {
    return <p class="notice">{say("connect.readOnly.started-by-code")}</p>;
  }
  return (
    <section aria-labelledby="diff-title">
      <h2 id="diff-title">{say("connect.diff")}</h2>
      {proposed.error === "" ? null : <p class="error">{proposed.error}</p>}
      {answer === null ? null : answer.problems.length > 0 ? <Problems problems={answer.problems} /> : null}
      {answer === null || answer.diff === undefined || answer.diff.length === 0 ? (
        <p class="quiet">{say("connect.noDiff")}</p>
      ) : (
        <Diff lines={answer.diff} />
      )}
      <Problems problems={problems} />
      {shown.readOnlyBecause !== null ? (
        <p>
          {say(`connect.readOnly.${shown.readOnlyBecause}`)}{" "}
          {answer === null || answer.diff.length === 0 ? null : (
            <CopyButton text={answer.text} label={say("connect.copy")} />
          )}
          {answer?.text.includes(mask) ? <span class="warn-text text">{say("connect.masked", { mask })}</span> : null}
        </p>
      ) : (
        <form
          class="bar"
          onSubmit={(event) => {
            event.preventDefault();
            apply().catch((problem: Error) => setError(problem.message));
          }}
        >
          <label class="grow">
            {say("act.reason")}
            <input required maxLength={1000} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
          </label>
          <button type="submit" class="primary" disabled={!isReady}>
            {say("connect.apply")}
          </button>
        </form>
      )}
      {error === "" ? null : (
        <p class="error" role="alert">
          {error}{" "}
          {answer === null || answer.diff.length === 0 ? null : (
            <CopyButton text={answer.text} label={say("connect.copy")} />
          )}
        </p>
      )}
      {done === null ? null : (
        <p class="good-text" role="status">
          {say("connect.applied")}{" "}
          {done.needsRestart.length > 0 ? say("connect.restart", { names: done.needsRestart.join(", ") }) : null}
        </p>
      )}
    </section>
  );
}
