import { useState } from "preact/hooks";
import type { Phrase } from "../../src/messages/phrases/phrase.ts";
import type { QuarantinePageView, QuarantineRecordPage, ShownRule } from "../../src/server/admin/quarantine-routes.ts";
import { address, pathTo, setFilters } from "../address.ts";
import { post } from "../api.ts";
import { changes } from "../live.ts";
import { RetryDialog } from "../parts/deliveries/retry-dialog.tsx";
import { Dialog, DialogFooter, ReasonField } from "../parts/dialog.tsx";
import { Link } from "../parts/link.tsx";
import { Empty, Loaded, useResource } from "../parts/resource.tsx";
import { Code, Moment } from "../parts/small-parts.tsx";
import { say, sayKnown, sayNumber, sayTopic } from "../say.ts";
import { may } from "../session.ts";

/** Records of external systems that cannot be served, and what is wrong with each. */
export function Quarantine() {
  const resource = useResource<QuarantinePageView>("admin/quarantine?limit=200");
  const opened = address.value.query.get("record");
  return (
    <>
      <h1>{say("nav.quarantine")}</h1>
      <Loaded of={resource}>
        {(page) =>
          page.records.length === 0 ? (
            <Empty text={say("quarantine.none")} hint={say("quarantine.noneHint")} />
          ) : (
            <>
              <p role="status">{say("quarantine.count", { count: sayNumber(page.total) })}</p>
              <ul class="groups">
                {page.records.map((record) => {
                  const isOpen = opened === String(record.id);
                  return (
                    <li key={record.id} class="group">
                      <button
                        type="button"
                        class="plain grow"
                        aria-expanded={isOpen}
                        onClick={() => setFilters({ record: isOpen ? null : String(record.id) })}
                      >
                        <span class="big">{sayNumber(record.count)}×</span>
                        <span class="grow">
                          <b>{record.number || "–"}</b> <span class="badge none">{sayTopic(record.kind)}</span>{" "}
                          {record.source}
                          <span class="text break">{record.problems[0]?.text ?? ""}</span>
                          <span class="quiet">
                            <Moment at={record.lastSeenAt} />
                          </span>
                        </span>
                      </button>
                      {isOpen ? <Record id={record.id} /> : null}
                    </li>
                  );
                })}
              </ul>
            </>
          )
        }
      </Loaded>
    </>
  );
}

function Record({ id }: { readonly id: number }) {
  const resource = useResource<QuarantineRecordPage>(`admin/quarantine/${id}`);
  const [dialog, setDialog] = useState<"drop" | "retry" | null>(null);
  return (
    <div class="panel">
      <Loaded of={resource}>
        {(record) => (
          <>
            <div class="columns">
              <div>
                <h2>{say("quarantine.problems")}</h2>
                <ul class="plain-list">
                  {record.problems.map((problem) => (
                    <li key={problem.field + problem.text}>
                      <code class="text break">{problem.sourceField ?? problem.field}</code>
                      {problem.text}
                      <Rule of={record.rules.find(({ field }) => field === problem.field)} />
                    </li>
                  ))}
                </ul>
                {isNote(record.fixPhrase) ? null : (
                  <>
                    <p class="head">{say("quarantine.fix")}</p>
                    <p>{sayKnown(record.fixPhrase)}</p>
                  </>
                )}
                {record.origin === "" ? null : <p class="quiet break">{record.origin}</p>}
                {record.kind === "workOrders" && record.number !== "" ? (
                  <Link to={pathTo("orders", record.number)}>
                    {say("order.title")} {record.number}
                  </Link>
                ) : null}
              </div>
              <div>
                <h2>{say("quarantine.record")}</h2>
                <Code text={record.raw} label={say("quarantine.record")} />
              </div>
            </div>
            {may("operator") ? (
              <span class="actions">
                <button type="button" onClick={() => setDialog("retry")}>
                  {say("quarantine.retry")}
                </button>
                <button type="button" class="danger" onClick={() => setDialog("drop")}>
                  {say("quarantine.drop")}
                </button>
              </span>
            ) : null}
            {dialog === "retry" ? <RetryDialog record={record} onClose={() => setDialog(null)} /> : null}
          </>
        )}
      </Loaded>
      {dialog === "drop" ? <DropDialog id={id} onClose={() => setDialog(null)} /> : null}
    </div>
  );
}

/** Whether the phrase only repeats what already stands beside the fields. */
function isNote({ values: { parts } }: Phrase): boolean {
  return typeof parts === "object" && "list" in parts && parts.list.every(({ key }) => key === "fix.note");
}

/** The mapping rule that produced a member, and its place in the configuration. */
function Rule({ of: rule }: { readonly of: ShownRule | undefined }) {
  if (rule === undefined) return null;
  return (
    <span class="text break quiet">
      {say("quarantine.rule")} <code>{rule.place}</code>: <code>{rule.rule}</code>
    </span>
  );
}

function DropDialog({ id, onClose }: { readonly id: number; readonly onClose: () => void }) {
  const [reason, setReason] = useState("");
  const [error, setError] = useState("");
  const drop = async () => {
    await post(`admin/quarantine/${id}/drop`, { reason });
    onClose();
    setFilters({ record: null });
    changes.value++;
  };
  return (
    <Dialog title={say("quarantine.drop")} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          drop().catch((problem: Error) => setError(problem.message));
        }}
      >
        <p>{say("quarantine.dropText")}</p>
        <ReasonField reason={reason} onReason={setReason} error={error} />
        <DialogFooter label={say("quarantine.drop")} isReady={reason.trim() !== ""} onClose={onClose} isDanger />
      </form>
    </Dialog>
  );
}
