import { useEffect, useState } from "preact/hooks";
import type { BulkResult } from "../../src/engine/journal-view/entries/bulk-act.ts";
import { post } from "../api.ts";
import { changes } from "../live.ts";
import { say, sayEvent, sayText } from "../say.ts";
import { Dialog, DialogFooter, ReasonField } from "./dialog.tsx";
import { StateBadge } from "./small-parts.tsx";

export type SimpleAction = "retry" | "skip" | "replay";

interface Props {
  readonly action: SimpleAction;
  /** Set for a single entry; `filter` is set for all entries that it matches. */
  readonly seq?: number;
  readonly filter?: Readonly<Record<string, string>>;
  readonly onClose: () => void;
}

/** Asks for a reason, says beforehand how many entries are affected, and reports what was done. */
export function ActDialog({ action, seq, filter, onClose }: Props) {
  const [reason, setReason] = useState("");
  const [plan, setPlan] = useState<BulkResult | null>(null);
  const [done, setDone] = useState<BulkResult | null>(null);
  const [error, setError] = useState("");
  const [isBusy, setBusy] = useState(false);

  useEffect(() => {
    if (filter === undefined) return;
    post<BulkResult>("admin/journal/bulk", { action, filter, reason: "count", dryRun: true }).then(setPlan, failed);
  }, []);

  function failed(problem: Error): void {
    setError(problem.message);
    setBusy(false);
  }

  async function act(): Promise<void> {
    setBusy(true);
    setError("");
    if (seq !== undefined) {
      await post(`admin/journal/${seq}/${action}`, { reason });
      changes.value++;
      onClose();
      return;
    }
    const result = await post<BulkResult>("admin/journal/bulk", { action, filter, reason, dryRun: false });
    changes.value++;
    setDone(result);
    setBusy(false);
  }

  const count = seq === undefined ? (plan?.count ?? 0) : 1;
  const isReady = reason.trim() !== "" && count > 0 && !isBusy && plan?.isCut !== true;
  return (
    <Dialog title={say(`act.${action}.title`)} onClose={onClose}>
      {done === null ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            act().catch(failed);
          }}
        >
          <p>{say(`act.${action}.text`)}</p>
          {filter === undefined ? null : (
            <p class="count" role="status">
              {plan === null ? say("state.loading") : plan.isCut ? say("act.tooMany") : say("act.count", { count })}
            </p>
          )}
          {plan === null ? null : (
            <ul class="plain-list">
              {plan.first.slice(0, 5).map((entry) => (
                <li key={entry.seq}>
                  #{entry.seq} {sayEvent(entry)} <StateBadge state={entry.state} />
                </li>
              ))}
            </ul>
          )}
          <ReasonField reason={reason} onReason={setReason} error={error} />
          <DialogFooter
            label={say(`act.${action}.do`, { count })}
            isReady={isReady}
            onClose={onClose}
            isDanger={action === "skip"}
          />
        </form>
      ) : (
        <BulkReport done={done} onClose={onClose} />
      )}
    </Dialog>
  );
}

function BulkReport({ done, onClose }: { readonly done: BulkResult; readonly onClose: () => void }) {
  const failed = done.results.filter((one) => !one.done);
  const rest = done.count - done.results.length;
  return (
    <div>
      <p role="status">{say("act.done", { done: done.results.length - failed.length, failed: failed.length })}</p>
      {rest > 0 ? <p>{say("act.rest", { count: rest })}</p> : null}
      <ul class="plain-list">
        {failed.slice(0, 10).map((one) => (
          <li key={one.seq}>
            #{one.seq} {sayText(one.detail ?? "")}
          </li>
        ))}
      </ul>
      <footer>
        <button type="button" class="primary" onClick={onClose}>
          {say("action.close")}
        </button>
      </footer>
    </div>
  );
}
