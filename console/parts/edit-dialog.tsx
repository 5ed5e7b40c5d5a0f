import { useMemo } from "preact/hooks";
import { lineDiff } from "../../src/config/edit/line-diff.ts";
import type { EntryDetail } from "../../src/engine/journal-view/entries/entry-detail.ts";
import { post, Refusal } from "../api.ts";
import { changes } from "../live.ts";
import { say, sayText } from "../say.ts";
import { Dialog, DialogFooter, ReasonField } from "./dialog.tsx";
import { useAfterPause } from "./forms/after-pause.ts";
import { FoundDraft, useDraft } from "./forms/draft.tsx";
import { useSubmit } from "./forms/submit.ts";
import { pretty } from "./quarantine/record-lines.ts";

interface Check {
  readonly isValid: boolean;
  readonly errors: Readonly<Record<string, readonly string[]>>;
  readonly detail: string | null;
}

/** The name of what was typed for an entry. Its time belongs to it: a new data folder counts from 1 again. */
export const editSubject = ({ seq, receivedAt }: EntryDetail): string => `entry ${seq} ${receivedAt}`;

/**
 * Edits the body of an entry. It is checked against the contract while typing, and the difference is shown before it is
 * saved.
 */
export function EditDialog({ entry, onClose }: { readonly entry: EntryDetail; readonly onClose: () => void }) {
  const before = useMemo(() => pretty(entry.body), [entry.body]);
  const draft = useDraft(editSubject(entry), before);
  const { text, reason } = draft;
  const { isBusy, problem, submit, clear } = useSubmit();
  const checked = useAfterPause<Check>(`${entry.seq} ${text}`, (signal) =>
    post<Check>(`admin/journal/${entry.seq}/check`, { body: text }, signal),
  );
  const check = checked.isCurrent ? checked.answer : null;
  const error = problem !== null ? wordsOf(problem) : checked.isCurrent ? checked.error : "";

  const difference = useMemo(() => lineDiff(before, text), [before, text]);
  const isReady = check?.isValid === true && text !== before && reason.trim() !== "" && !isBusy;

  async function save(): Promise<void> {
    await post(`admin/journal/${entry.seq}/edit`, { body: text, reason });
    draft.sent();
    changes.value++;
    onClose();
  }

  return (
    <Dialog title={say("edit.title", { number: entry.seq })} onClose={onClose} isWide>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit(save);
        }}
      >
        <FoundDraft of={draft} />
        <div class="columns">
          <label>
            {say("edit.body")}
            <textarea
              class="mono"
              rows={18}
              spellcheck={false}
              value={text}
              aria-invalid={check?.isValid === false}
              onInput={(event) => {
                clear();
                draft.change({ text: event.currentTarget.value });
              }}
            />
          </label>
          <div>
            <h3>{say("edit.difference")}</h3>
            {difference.length === 0 ? (
              <p class="quiet">{say("edit.unchanged")}</p>
            ) : (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
              <pre class="diff" tabIndex={0}>
                {difference.map((line, index) => (
                  <span key={index} class={signs[line.charAt(0)] ?? ""}>
                    {line}
                    {"\n"}
                  </span>
                ))}
              </pre>
            )}
            <h3>{say("edit.check")}</h3>
            <div role="status">
              {check === null ? <p class="quiet">{say("edit.checking")}</p> : <CheckResult check={check} />}
            </div>
          </div>
        </div>
        <ReasonField reason={reason} onReason={(typed) => draft.change({ reason: typed })} error={error} />
        <DialogFooter label={say("edit.save")} isReady={isReady} onClose={onClose} />
      </form>
    </Dialog>
  );
}

const signs: Readonly<Record<string, string>> = { "+": "added", "-": "removed", "@": "place" };

const wordsOf = (problem: Error): string =>
  problem instanceof Refusal ? [problem.message, ...Object.values(problem.errors).flat()].join(" ") : problem.message;

function CheckResult({ check }: { readonly check: Check }) {
  if (check.isValid) return <p class="good-text">{say("edit.valid")}</p>;
  return (
    <ul class="error plain-list">
      {check.detail === null ? null : <li>{sayText(check.detail)}</li>}
      {Object.entries(check.errors).map(([field, texts]) => (
        <li key={field}>
          <code>{field}</code> {texts.map(sayText).join(", ")}
        </li>
      ))}
    </ul>
  );
}
