import { useState } from "preact/hooks";
import type { QuarantineRecordPage } from "../../../src/server/admin/quarantine-routes.ts";
import { setFilters } from "../../address.ts";
import { post, Refusal } from "../../api.ts";
import { changes } from "../../live.ts";
import { say } from "../../say.ts";
import { Dialog, DialogFooter, ReasonField } from "../dialog.tsx";
import { useSubmit } from "../forms/submit.ts";

/** Asks the external system for a record again, after it was corrected there. It stays here while it is still wrong. */
export function QueryDialog(props: { readonly record: QuarantineRecordPage; readonly onClose: () => void }) {
  const { record, onClose } = props;
  const [reason, setReason] = useState("");
  const { isBusy, problem, error, submit } = useSubmit();
  const query = async () => {
    try {
      await post(`admin/quarantine/${record.id}/retry`, { reason });
      onClose();
      setFilters({ record: null });
    } finally {
      // Otherwise it may be wrong in another way now.
      changes.value++;
    }
  };
  const isStillWrong = problem instanceof Refusal && problem.status === 400;
  return (
    <Dialog title={say("quarantine.ask", { source: record.source })} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit(query);
        }}
      >
        <p>{say("quarantine.askText", { source: record.source })}</p>
        <ReasonField reason={reason} onReason={setReason} error={isStillWrong ? stillWrong(problem) : error} />
        <DialogFooter label={say("quarantine.askDo")} isReady={reason.trim() !== "" && !isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}

const stillWrong = ({ errors }: Refusal): string =>
  [say("quarantine.stillWrong"), ...Object.values(errors).flat()].join(" ");
