import { useState } from "preact/hooks";
import type { QuarantineRecordPage } from "../../../src/server/admin/quarantine-routes.ts";
import { setFilters } from "../../address.ts";
import { post, Refusal } from "../../api.ts";
import { changes } from "../../live.ts";
import { say } from "../../say.ts";
import { Dialog, DialogFooter, ReasonField } from "../dialog.tsx";
import { FoundDraft, useDraft } from "../forms/draft.tsx";
import { useSubmit } from "../forms/submit.ts";
import { pretty } from "./record-lines.ts";

/** The name of what was typed for a record. Its time belongs to it: a new data folder counts from 1 again. */
export const retrySubject = ({ id, firstSeenAt }: QuarantineRecordPage): string => `record ${id} ${firstSeenAt}`;

/** Imports a record again, unchanged or corrected here. It stays in quarantine while something is still wrong. */
export function RetryDialog(props: { readonly record: QuarantineRecordPage; readonly onClose: () => void }) {
  const { record, onClose } = props;
  const [before] = useState(() => pretty(record.raw));
  const draft = useDraft(retrySubject(record), before);
  const { text, reason } = draft;
  const { isBusy, problem, error, submit } = useSubmit();
  const wrong = problem instanceof Refusal ? problem.errors : {};
  const retry = async () => {
    await post(`admin/quarantine/${record.id}/retry`, { reason, body: text });
    draft.sent();
    onClose();
    setFilters({ record: null });
    changes.value++;
  };
  return (
    <Dialog title={say("quarantine.retry")} onClose={onClose} isWide>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit(retry);
        }}
      >
        <p>{say("quarantine.retryText")}</p>
        <FoundDraft of={draft} />
        <label>
          {say("quarantine.record")}
          <textarea
            class="mono"
            rows={16}
            spellcheck={false}
            value={text}
            aria-invalid={Object.keys(wrong).length > 0}
            onInput={(event) => draft.change({ text: event.currentTarget.value })}
          />
        </label>
        <ul class="error plain-list">
          {Object.entries(wrong).map(([field, texts]) => (
            <li key={field}>
              <code>{field}</code> {texts.join(", ")}
            </li>
          ))}
        </ul>
        <ReasonField reason={reason} onReason={(typed) => draft.change({ reason: typed })} error={error} />
        <DialogFooter label={say("quarantine.take")} isReady={reason.trim() !== "" && !isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
