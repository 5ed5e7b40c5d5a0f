import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { BulkResult } from "../../src/engine/journal-view/entries/bulk-act.ts";
import { post } from "../api.ts";
import { changes, reachedBy } from "../live.ts";
import { say, sayEvent, sayNumber, sayText } from "../say.ts";
import { Dialog, DialogFooter, ReasonField } from "./dialog.tsx";
import { StateBadge } from "./small-parts.tsx";

type Outcome = BulkResult["results"][number];
const perPart = 500;

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
  const [done, setDone] = useState<readonly Outcome[] | null>(null);
  const [progress, setProgress] = useState(0);
  const [error, setError] = useState("");
  const [isBusy, setBusy] = useState(false);

  /** Whoever closes the dialog while it works does not want the rest done. */
  const isClosed = useRef(false);
  // Not after the next paint: another part would begin until then.
  useLayoutEffect(
    () => () => {
      isClosed.current = true;
    },
    [],
  );
  /** What was done so far. If the session ends in the middle, the rest is done after the next sign-in. */
  const results = useRef<Outcome[]>([]);
  const reached = reachedBy.value;
  useEffect(() => {
    // Counted again when the adapter is reached again, because the first count may have failed.
    if (filter === undefined || results.current.length > 0) return undefined;
    const abort = new AbortController();
    const counted = (found: BulkResult) => {
      setPlan(found);
      setError("");
    };
    post<BulkResult>("admin/journal/bulk", { action, filter, reason: "count", dryRun: true }, abort.signal).then(
      counted,
      (problem: Error) => {
        if (!abort.signal.aborted) failed(problem);
      },
    );
    return () => abort.abort();
  }, [reached]);

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
    const most = plan?.count ?? 0;
    const done = results.current;
    // In parts, so that the progress is seen. Each begins after the last entry of the part before it: one that fails
    // again at once must not be tried again.
    while (done.length < most && !isClosed.current) {
      const limit = Math.min(perPart, most - done.length);
      const asked = { action, filter, reason, dryRun: false, limit, after: done.at(-1)?.seq ?? 0 };
      const part = await post<BulkResult>("admin/journal/bulk", asked);
      done.push(...part.results);
      setProgress(done.length);
      if (part.results.length === 0) break;
    }
    changes.value++;
    setDone([...done]);
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
              {progress > 0
                ? say("act.progress", { done: sayNumber(progress), count: sayNumber(count) })
                : plan === null
                  ? say("state.loading")
                  : plan.isCut
                    ? say("act.tooMany")
                    : say("act.count", { count: sayNumber(count) })}
            </p>
          )}
          {plan === null ? null : (
            <ul class="plain-list">
              {plan.first.slice(0, 5).map((entry) => (
                <li key={entry.seq}>
                  #{entry.seq} {entry.orders.length === 0 ? null : <b>{entry.orders.join(", ")}</b>} {sayEvent(entry)}{" "}
                  <StateBadge state={entry.state} />
                </li>
              ))}
            </ul>
          )}
          <ReasonField reason={reason} onReason={setReason} error={error} />
          <DialogFooter
            label={say(`act.${action}.do`, { count: sayNumber(count) })}
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

function BulkReport({ done, onClose }: { readonly done: readonly Outcome[]; readonly onClose: () => void }) {
  const failed = done.filter((one) => !one.done);
  const counts = { done: sayNumber(done.length - failed.length), failed: sayNumber(failed.length) };
  return (
    <div>
      <p role="status">{say("act.done", counts)}</p>
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
