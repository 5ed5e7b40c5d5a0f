import type { Phrase } from "../../../src/messages/phrases/phrase.ts";
import type { QuarantineRecordPage, ShownRule } from "../../../src/server/admin/quarantine-routes.ts";
import { pathTo } from "../../address.ts";
import { say, sayKnown, sayNumber } from "../../say.ts";
import { Link } from "../link.tsx";
import { Prose } from "../small-parts.tsx";
import { MarkedRecord } from "./marked-record.tsx";

type Of = { readonly of: QuarantineRecordPage };

/** From left to right, what happened: the record that came, the rules and what is wrong, the record they made. */
export function RecordDetail({ of: record }: Of) {
  return (
    <div class={record.sourceRecord === null ? "columns" : "columns three"}>
      <SourceRecord of={record} />
      <div>
        <h2>{say("quarantine.problems")}</h2>
        <ul class="plain-list">
          {record.problems.map((problem) => (
            <li key={problem.field + problem.text}>
              <code class="text break">{fieldOf(problem)}</code>
              {problem.text}
              <Rule of={record.rules.find(({ field }) => field === problem.field)} />
              {isAbsent(problem) ? (
                <span class="text break quiet">
                  {say("quarantine.absent", { field: problem.sourceField ?? "", source: record.source })}
                </span>
              ) : null}
            </li>
          ))}
        </ul>
        <Advice of={adviceOf(record.fixPhrase)} />
        {record.origin === "" ? null : <p class="quiet break">{record.origin}</p>}
        {record.kind === "workOrders" && record.number !== "" ? (
          <p>
            <Link to={pathTo("orders", record.number)}>
              {say("order.title")} {record.number}
            </Link>
          </p>
        ) : null}
      </div>
      <div>
        <h2>{say("quarantine.record")}</h2>
        <MarkedRecord
          text={record.raw}
          label={say("quarantine.record")}
          isCut={record.isRawCut}
          notes={record.problems.map(({ field, text }) => ({ place: field, note: text }))}
        />
        {record.isRawCut ? <p class="warn-text">{say("quarantine.cut", { size: keptSize(record) })}</p> : null}
      </div>
    </div>
  );
}

function SourceRecord({ of: record }: Of) {
  if (record.sourceRecord === null) return null;
  const title = say("quarantine.sourceRecord", { source: record.source });
  const notes = record.problems.flatMap(({ field, sourcePlaces = [] }) =>
    sourcePlaces.map((place) => ({ place, note: `→ ${field}` })),
  );
  return (
    <div>
      <h2>{title}</h2>
      <MarkedRecord text={record.sourceRecord} label={title} isCut={record.isSourceRecordCut} notes={notes} />
      {record.isSourceRecordCut ? (
        <p class="warn-text">{say("quarantine.sourceCut", { size: keptSize(record) })}</p>
      ) : null}
    </div>
  );
}

const keptSize = ({ keptBytes }: QuarantineRecordPage): string => `${sayNumber(keptBytes / 1024)} KiB`;

type ShownProblem = QuarantineRecordPage["problems"][number];

/** The field to look at, as exactly as it is known. */
const fieldOf = ({ field, sourceField, sourcePlaces = [] }: ShownProblem): string =>
  sourcePlaces.length > 0 ? sourcePlaces.join(", ") : (sourceField ?? field);

/** Whether the field that the rule reads is missing in the record. An expression may read nothing. */
const isAbsent = ({ sourceField, sourcePlaces }: ShownProblem): boolean =>
  sourcePlaces?.length === 0 && sourceField !== undefined && !sourceField.startsWith("=");

/** What to do, without what already stands beside the fields. */
const adviceOf = ({ values: { parts } }: Phrase): readonly Phrase[] =>
  typeof parts === "object" && "list" in parts ? parts.list.filter(({ key }) => key !== "fix.note") : [];

function Advice({ of: phrases }: { readonly of: readonly Phrase[] }) {
  if (phrases.length === 0) return null;
  return (
    <>
      <p class="head">{say("quarantine.fix")}</p>
      {phrases.map((one, index) => (
        <p key={index}>
          <Prose text={sayKnown(one)} />
        </p>
      ))}
    </>
  );
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
