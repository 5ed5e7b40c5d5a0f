import type { FloorRun } from "../../../src/server/workshop/floor-control.ts";
import type { Report } from "../../../src/tools/conformance/conformance-report.ts";
import type { Summary } from "../../../src/tools/simulator/reports/summary.ts";
import { say, sayDuration, sayNumber } from "../../say.ts";

/** More would be read in the report, which has the requests beside them. */
const mostShown = 20;

/** What a run has found, in the reader's language. What the tools say about one finding is in English, as in their reports. */
export function FloorReport({ run }: { readonly run: FloorRun }) {
  if (run.report === null) return null;
  // Written by the tool of this kind, which is of the same version.
  return run.kind === "conform" ? (
    <Conformance report={run.report as Report} />
  ) : (
    // As above.
    <Simulation report={run.report as Summary} />
  );
}

type Fact = readonly [name: string, value: string, isBad?: boolean];

const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl class="facts">
    {facts.map(([name, value, isBad]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd class={isBad === true ? "error" : undefined}>{value}</dd>
      </div>
    ))}
  </dl>
);

function Conformance({ report }: { readonly report: Report }) {
  const failed = report.checks.filter(({ state }) => state === "failed");
  return (
    <>
      <Facts
        facts={[
          [say("floor.score"), `${sayNumber(report.score)} %`],
          [say("floor.checksPassed"), sayNumber(report.passed)],
          [say("floor.checksFailed"), sayNumber(report.failed), report.failed > 0],
          [say("floor.checksSkipped"), sayNumber(report.skipped)],
          [say("floor.calls"), sayNumber(report.calls)],
          [say("floor.time"), sayDuration(report.durationMs)],
        ]}
      />
      <ul class="plain-list">
        {failed.slice(0, mostShown).map(({ id, title, findings: [first] }) => (
          <li key={id}>
            <code>{id}</code> <span lang="en">{title}</span>
            {first === undefined ? null : (
              <Difference expected={first.expected} found={`${first.received.status ?? ""} ${first.received.text}`} />
            )}
          </li>
        ))}
      </ul>
      <More count={failed.length - mostShown} />
    </>
  );
}

function Simulation({ report }: { readonly report: Summary }) {
  const { calls, orders, amounts, findings, findingCount, doubts, gaveUp } = report;
  return (
    <>
      <Facts
        facts={[
          [say("floor.worked"), sayNumber(orders.worked)],
          [say("floor.placed"), sayNumber(amounts.placed)],
          [say("floor.findingCount"), sayNumber(findingCount), findingCount > 0],
          [say("floor.doubts"), sayNumber(doubts.length)],
          [say("floor.calls"), sayNumber(calls.count)],
          [say("floor.slowest"), sayDuration(calls.p95Ms)],
          [say("floor.time"), sayDuration(report.seconds * 1000)],
        ]}
      />
      {gaveUp === null ? null : (
        <p class="error">
          {say("floor.gaveUp")} <span lang="en">{gaveUp}</span>
        </p>
      )}
      <ul class="plain-list">
        {findings.slice(0, mostShown).map(({ kind, order, item, text, expected, found }, index) => (
          <li key={index}>
            <code>{kind}</code> {order} {item} <span lang="en">{text}</span>
            <Difference expected={expected} found={found} />
          </li>
        ))}
      </ul>
      <More count={findingCount - mostShown} />
    </>
  );
}

const Difference = ({ expected, found }: { readonly expected: string; readonly found: string }) => (
  <span class="text break quiet">
    {say("floor.expected")}: <span lang="en">{expected}</span> · {say("floor.found")}: <span lang="en">{found}</span>
  </span>
);

const More = ({ count }: { readonly count: number }) =>
  count <= 0 ? null : <p class="quiet">{say("floor.moreFindings", { count })}</p>;
