import { operationRow } from "../../contract/operations.ts";
import type { Finding } from "../finding.ts";
import { histogramPlot, linePlot } from "./plot.ts";
import type { Summary } from "./summary.ts";
import { verdictOf } from "./verdict-of.ts";

/** One file that needs nothing from outside: it can be mailed and opened years later. */
export function htmlReport(summary: Summary): string {
  const { calls, orders, stretches, findings, doubts } = summary;
  const verdict = verdictOf(summary).replace(/^./, (first) => first.toUpperCase());
  const facts: readonly (readonly [string, string])[] = [
    ["Adapter", summary.url],
    ["Orders worked", String(orders.worked)],
    ["Operators", String(summary.operators)],
    ["Time", `${summary.seconds.toFixed(1)} s for ${summary.floorHours.toFixed(1)} h on the floor`],
    ["Calls", `${calls.count}, ${Math.round(calls.perSecond)} a second`],
    ["Latency", `p50 ${ms(calls.p50Ms)}, p95 ${ms(calls.p95Ms)}, p99 ${ms(calls.p99Ms)}, longest ${ms(calls.mostMs)}`],
    ["Sent again", `${calls.resent}; ${calls.unanswered} sendings unanswered`],
    ["Faults played", countsText(summary.faults)],
    ["Changes played", countsText(summary.changes)],
    ["Refused", countsText(summary.refusals)],
    ["Not offered", summary.notOffered.join(", ") || "none"],
    [
      "Amounts",
      `${summary.amounts.placed} confirmed, ${summary.amounts.cancelled} cancelled, ${summary.amounts.containers} containers`,
    ],
    ["Compared", `${orders.reported} orders with the report; ${summary.journalLines ?? "no"} lines of the journal`],
    ["Seed", `${summary.seed}, calls ${summary.callsDigest.slice(0, 16)}`],
  ];
  const middle = ({ fromMs, toMs }: { fromMs: number; toMs: number }) => (fromMs + toMs) / 2000;
  const plots = [
    linePlot("Calls", "a second", [
      {
        name: "calls",
        colour: "var(--mark)",
        points: stretches.map((one) => [middle(one), (one.calls * 1000) / (one.toMs - one.fromMs)]),
      },
    ]),
    linePlot("Latency over time", "ms", [
      { name: "p50", colour: "var(--good)", points: stretches.map((one) => [middle(one), one.p50Ms]) },
      { name: "p99", colour: "var(--bad)", points: stretches.map((one) => [middle(one), one.p99Ms]) },
    ]),
    histogramPlot("How many calls took how long", summary.buckets),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Simulated shift: ${escaped(verdict)}</title><style>${style}</style></head><body><main>
<h1>Simulated shift</h1><p class="${summary.ok ? "good" : "bad"}">${escaped(verdict)}</p>
<table>${facts.map(([name, value]) => `<tr><th>${name}</th><td>${escaped(value)}</td></tr>`).join("")}</table>
${plots.join("\n")}
<h2>Calls</h2>${operationTable(summary)}
${findings.length === 0 ? "" : `<h2>Findings</h2>${findings.map(findingBlock).join("")}`}
${doubts.length === 0 ? "" : `<h2>Doubtful</h2><p>No adapter can help these. Where the connection broke between two equal pieces, it cannot tell the second from a repetition of the first without an id; and where the platform has closed a line with its last step, nothing has told so.</p>${doubts.map(findingBlock).join("")}`}
</main></body></html>
`;
}

function operationTable({ byOperation }: Summary): string {
  const rows = byOperation.map(({ operation, count, p50Ms, p95Ms, p99Ms, mostMs }) => {
    const { method, path } = operationRow(operation);
    const times = [p50Ms, p95Ms, p99Ms, mostMs].map((time) => `<td>${ms(time)}</td>`).join("");
    return `<tr><th>${method} ${escaped(path)}</th><td>${count}</td>${times}</tr>`;
  });
  return `<table class="figures"><thead><tr><th>Endpoint</th><th>Calls</th><th>p50</th><th>p95</th><th>p99</th><th>longest</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

const findingBlock = ({ kind, order, item, text, expected, found, calls }: Finding): string =>
  `<details><summary><b>${kind}</b> ${escaped([order, item].filter((name) => name !== null).join(" · "))}: ${escaped(text)}</summary>
<p>Expected <code>${escaped(expected)}</code>, found <code>${escaped(found)}</code></p><ol>${calls.map((call) => `<li>${escaped(call)}</li>`).join("")}</ol></details>`;

const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ") || "none";

const ms = (time: number): string => `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`;
/** Answers of a strange adapter stand in here: none of it may become markup. */
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const style = `:root{color-scheme:light dark;--bg:#fff;--fg:#1c2430;--soft:#55606e;--line:#e3e7ec;--card:#f2f4f7;--good:#2c8a57;--goodbg:#eef8f1;--bad:#c2452d;--badbg:#fcf0ee;--mark:#3b6fb6}
@media (prefers-color-scheme:dark){:root{--bg:#12161c;--fg:#e6eaf0;--soft:#98a3b3;--line:#2b3440;--card:#1a2028;--good:#4cc38a;--goodbg:#14231c;--bad:#ff7b72;--badbg:#2a1719;--mark:#6ea3ec}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);margin:0}main{max-width:900px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid var(--line);font-weight:normal;overflow-wrap:anywhere}
th{color:var(--soft)}tr>th:first-child:not(.figures th){overflow-wrap:normal}.figures td,.figures th:not(:first-child){text-align:right}.good,.bad{padding:.6rem 1rem;border-left:6px solid;font-size:1.2rem}.good{border-color:var(--good);background:var(--goodbg)}.bad{border-color:var(--bad);background:var(--badbg)}
figure{margin:1.5rem 0}figcaption{color:var(--soft)}svg{width:100%;height:auto}svg text{font:11px system-ui,sans-serif;fill:var(--soft)}.grid{stroke:var(--line)}details{border-bottom:1px solid var(--line);padding:.4rem 0}code{background:var(--card)}
@media (max-width:40rem){th,td{padding:.25rem .3rem}.figures{font-size:12px}}`;
