import { useEffect, useMemo, useState } from "preact/hooks";
import { lineDiff } from "../../src/config/edit/line-diff.ts";
import type { EntryDetail } from "../../src/engine/journal-view/entries/entry-detail.ts";
import { post, Refusal } from "../api.ts";
import { changes, reachedBy } from "../live.ts";
import { say, sayText } from "../say.ts";
import { Dialog, DialogFooter, ReasonField } from "./dialog.tsx";
import { pretty } from "./small-parts.tsx";

interface Check {
  readonly isValid: boolean;
  readonly errors: Readonly<Record<string, readonly string[]>>;
  readonly detail: string | null;
}

/** The check waits this long, so that a word can be finished. */
const pauseMs = 400;

/**
 * Edits the body of an entry. It is checked against the contract while typing, and the difference is shown before it is
 * saved.
 */
export function EditDialog({ entry, onClose }: { readonly entry: EntryDetail; readonly onClose: () => void }) {
  const before = useMemo(() => pretty(entry.body), [entry.body]);
  const [text, setText] = useState(before);
  const [reason, setReason] = useState("");
  const [check, setCheck] = useState<Check | null>(null);
  const [error, setError] = useState("");

  const reached = reachedBy.value;
  useEffect(() => {
    setCheck(null);
    setError("");
    const timer = setTimeout(() => {
      post<Check>(`admin/journal/${entry.seq}/check`, { body: text }).then(setCheck, (problem: Error) =>
        setError(problem.message),
      );
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text, entry.seq, reached]);

  const difference = useMemo(() => lineDiff(before, text), [before, text]);
  const isReady = check?.isValid === true && text !== before && reason.trim() !== "";

  async function save(): Promise<void> {
    await post(`admin/journal/${entry.seq}/edit`, { body: text, reason });
    changes.value++;
    onClose();
  }

  return (
    <Dialog title={say("edit.title", { number: entry.seq })} onClose={onClose} isWide>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save().catch((problem: Error) => setError(wordsOf(problem)));
        }}
      >
        <div class="columns">
          <label>
            {say("edit.body")}
            <textarea
              class="mono"
              rows={18}
              spellcheck={false}
              value={text}
              aria-invalid={check?.isValid === false}
              onInput={(event) => setText(event.currentTarget.value)}
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
        <ReasonField reason={reason} onReason={setReason} error={error} />
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
