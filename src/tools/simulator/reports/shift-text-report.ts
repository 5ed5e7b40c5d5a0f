import { operationRow } from "../../../contract/operations.ts";
import type { Finding } from "../finding.ts";
import { type Summary, verdictOf } from "./summary.ts";

const mostShown = 10;
const mostCalls = 12;
/** A finding about a change needs the whole history before it. */
const mostHistory = 60;

/** The report for a terminal or a log. */
export function textReport(summary: Summary, { isWhole }: { readonly isWhole: boolean }): string {
  const { calls, orders, findings, findingCount, doubts } = summary;
  const lines = [
    `${orders.worked} orders by ${summary.operators} operators in ${summary.seconds.toFixed(1)} s (${summary.floorHours.toFixed(1)} h on the floor), seed ${summary.seed}`,
    `${calls.count} calls, ${Math.round(calls.perSecond)}/s, p50 ${ms(calls.p50Ms)}, p99 ${ms(calls.p99Ms)}; ${calls.resent} sent again`,
    `compared: ${orders.reported} orders with the report, ${summary.journalLines === null ? "no journal" : `${summary.journalLines} lines of the journal`}`,
    ...(isWhole ? details(summary) : []),
    ...findings.slice(0, mostShown).flatMap(findingLines),
    ...(findings.length > mostShown ? [`… and ${findingCount - mostShown} more; --json and --html have them`] : []),
    ...doubts.slice(0, mostShown).map((doubt) => `doubtful: ${shown(doubt)}`),
    `Result: ${verdictOf(summary)}`,
  ];
  return lines.join("\n");
}

function details({ byOperation, faults, changes, refusals, notOffered }: Summary): string[] {
  const counts = (them: Readonly<Record<string, number>>) =>
    Object.entries(them)
      .map(([name, count]) => `${name} ${count}`)
      .join(", ");
  const rows = byOperation.map(({ operation, count, p50Ms, p99Ms }) => {
    const { method, path } = operationRow(operation);
    return `  ${`${method} ${path}`.padEnd(54)} ${String(count).padStart(7)}  p50 ${ms(p50Ms).padStart(9)}  p99 ${ms(p99Ms).padStart(9)}`;
  });
  return [
    ...rows,
    ...(Object.keys(faults).length === 0 ? [] : [`faults played: ${counts(faults)}`]),
    ...(Object.keys(changes).length === 0 ? [] : [`changes played: ${counts(changes)}`]),
    ...(Object.keys(refusals).length === 0 ? [] : [`refused: ${counts(refusals)}`]),
    ...(notOffered.length === 0 ? [] : [`not offered: ${notOffered.join(", ")}`]),
  ];
}

const shown = ({ order, item, text, expected, found }: Finding): string =>
  `${[order, item].filter((name) => name !== null).join(" ")}: ${text}; expected ${expected}, found ${found}`;

const findingLines = (finding: Finding): string[] => [
  `${finding.kind}: ${shown(finding)}`,
  ...finding.calls
    .slice(finding.kind === "amount" || finding.kind === "change" ? -mostHistory : -mostCalls)
    .map((call) => `    ${call}`),
];

const ms = (time: number): string => `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`;
