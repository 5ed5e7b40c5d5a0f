import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type {
  QuarantinePageView,
  QuarantineRecordPage,
  QuarantineView,
} from "../../src/server/admin/quarantine-routes.ts";
import { address, pathTo, setFilters } from "../address.ts";
import { post } from "../api.ts";
import { changes } from "../live.ts";
import { Dialog, DialogFooter, ReasonField } from "../parts/dialog.tsx";
import { DraftOffer } from "../parts/forms/draft.tsx";
import { useSubmit } from "../parts/forms/submit.ts";
import { PageLinks } from "../parts/link.tsx";
import { QueryDialog } from "../parts/quarantine/query-dialog.tsx";
import { RecordDetail } from "../parts/quarantine/record-detail.tsx";
import { RetryDialog, retrySubject } from "../parts/quarantine/retry-dialog.tsx";
import { Empty, Loaded, type Resource, useResource } from "../parts/resource.tsx";
import { Moment } from "../parts/small-parts.tsx";
import { say, sayNumber, sayTopic } from "../say.ts";
import { may } from "../session.ts";

type Acting = { readonly kind: "drop" | "retry" | "query"; readonly record: QuarantineRecordPage };
const pageSize = "200";

/** Records of external systems that cannot be served, and what is wrong with each. */
export function Quarantine() {
  const { query } = address.value;
  const before = query.get("before");
  const page = { limit: pageSize, ...(before === null ? {} : { before }) };
  const list = useResource<QuarantinePageView>(`admin/quarantine?${new URLSearchParams(page)}`);
  const id = query.get("record");
  const opened = useResource<QuarantineRecordPage>(id === null ? null : pathTo("admin", "quarantine", id));
  // Not within the list: when a record moves to another page, what is typed about it would be lost.
  const [acting, setActing] = useState<Acting | null>(null);
  const close = () => setActing(null);
  const detail = <Detail of={opened} isActing={acting !== null} onAct={setActing} />;
  return (
    <>
      <h1>{say("nav.quarantine")}</h1>
      <Loaded of={list}>
        {({ records, total, nextBefore }) => (
          <>
            {id === null || records.some((record) => String(record.id) === id) ? null : (
              <Elsewhere of={opened} detail={detail} />
            )}
            {total === 0 ? (
              <Empty text={say("quarantine.none")} hint={say("quarantine.noneHint")} />
            ) : (
              <p role="status">{say("quarantine.count", { count: sayNumber(total) })}</p>
            )}
            <ul class="groups">
              {records.map((record) => (
                <Row key={record.id} record={record} detail={id === String(record.id) ? detail : null} />
              ))}
            </ul>
            <PageLinks next={nextBefore} />
          </>
        )}
      </Loaded>
      {acting?.kind === "retry" ? <RetryDialog record={acting.record} onClose={close} /> : null}
      {acting?.kind === "query" ? <QueryDialog record={acting.record} onClose={close} /> : null}
      {acting?.kind === "drop" ? <DropDialog id={acting.record.id} onClose={close} /> : null}
    </>
  );
}

/** A record that the address names and this page of the list does not have. */
function Elsewhere(props: { readonly of: Resource<QuarantineRecordPage>; readonly detail: ComponentChildren }) {
  return (
    <Loaded of={props.of}>
      {(record) => (
        <ul class="groups">
          <Row record={record} detail={props.detail} />
        </ul>
      )}
    </Loaded>
  );
}

/** A record in the list; opened if there is a detail. */
function Row({ record, detail }: { readonly record: QuarantineView; readonly detail: ComponentChildren }) {
  const isOpen = detail !== null;
  return (
    <li class="group">
      <button
        type="button"
        class="plain grow"
        aria-expanded={isOpen}
        onClick={() => setFilters({ record: isOpen ? null : String(record.id) })}
      >
        <span class="big">{sayNumber(record.count)}×</span>
        <span class="grow">
          <b>{record.number || "–"}</b> <span class="badge none">{sayTopic(record.kind)}</span> {record.source}
          <span class="text break">{record.problems[0]?.text ?? ""}</span>
          <span class="quiet">
            <Moment at={record.lastSeenAt} />
          </span>
        </span>
      </button>
      {detail}
    </li>
  );
}

function Detail(props: {
  readonly of: Resource<QuarantineRecordPage>;
  readonly isActing: boolean;
  readonly onAct: (acting: Acting) => void;
}) {
  const { onAct } = props;
  return (
    <div class="panel">
      <Loaded of={props.of}>
        {(record) => (
          <>
            {may("operator") && !props.isActing ? (
              <DraftOffer subject={retrySubject(record)} onOpen={() => onAct({ kind: "retry", record })} />
            ) : null}
            <RecordDetail of={record} />
            {may("operator") ? (
              <span class="actions">
                {record.retry === "take" ? (
                  <button type="button" onClick={() => onAct({ kind: "retry", record })}>
                    {say("quarantine.retry")}
                  </button>
                ) : null}
                {record.retry === "query" ? (
                  <button type="button" onClick={() => onAct({ kind: "query", record })}>
                    {say("quarantine.ask", { source: record.source })}
                  </button>
                ) : null}
                <button type="button" class="danger" onClick={() => onAct({ kind: "drop", record })}>
                  {say("quarantine.drop")}
                </button>
              </span>
            ) : null}
          </>
        )}
      </Loaded>
    </div>
  );
}

function DropDialog({ id, onClose }: { readonly id: number; readonly onClose: () => void }) {
  const [reason, setReason] = useState("");
  const { isBusy, error, submit } = useSubmit();
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
          submit(drop);
        }}
      >
        <p>{say("quarantine.dropText")}</p>
        <ReasonField reason={reason} onReason={setReason} error={error} />
        <DialogFooter
          label={say("quarantine.drop")}
          isReady={reason.trim() !== "" && !isBusy}
          onClose={onClose}
          isDanger
        />
      </form>
    </Dialog>
  );
}
