import type { CheckReport, Finding, Report } from "../conformance-report.ts";

/** The whole report in one file without external resources, so that it can be mailed. */
export function htmlReport(report: Report): string {
  const { adapter, url, score, failed, checks } = report;
  const name = `${adapter.title ?? "Adapter"} ${adapter.version ?? ""}`.trim();
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(name)}: ${score} %</title><style>${htmlStyle}</style></head><body>
<header><div class="score" role="img" aria-label="score ${score} percent" style="--p:${score};--c:var(${failed === 0 ? "--good" : "--bad"})">${score} %</div>
<div><h1>${escaped(name)}</h1><div class="soft">${escaped(url)}</div>${facts(report)}</div></header>
${endpointTable(report)}
<div class="tools"><input type="search" id="words" placeholder="Filter by words" aria-label="Filter by words">
<select id="state" aria-label="State"><option value="">all checks</option><option value="failed"${failed > 0 ? " selected" : ""}>failed</option><option value="passed">passed</option><option value="skipped">not applicable</option></select></div>
<main>${checks.toSorted(failedFirst).map(checkHtml).join("\n")}</main>
<script>
const words = document.getElementById("words"), state = document.getElementById("state");
const show = () => { for (const one of document.querySelectorAll("main details")) one.hidden =
  (state.value !== "" && one.dataset.state !== state.value) || !one.textContent.toLowerCase().includes(words.value.toLowerCase()); };
words.oninput = show; state.onchange = show; show();
</script></body></html>
`;
}

const failedFirst = (one: CheckReport, other: CheckReport) =>
  Number(other.state === "failed") - Number(one.state === "failed");

function facts({ level, calls, durationMs, startedAt, validationMode, passed, failed, skipped }: Report): string {
  const time = startedAt.slice(0, 16).replace("T", " ");
  return `<div class="soft">${level} · ${calls} calls in ${(durationMs / 1000).toFixed(1)} s · ${time} UTC · invalid input: ${validationMode}</div>
<div><span class="good">${passed} passed</span> · <span class="${failed === 0 ? "soft" : "bad"}">${failed} failed</span> · <span class="soft">${skipped} not applicable or not offered</span></div>`;
}

function endpointTable({ endpoints, checks }: Report): string {
  const rows = [
    ...endpoints.map(({ operation, method, path, capability, medianMs }) => ({
      group: operation,
      name: `<code>${method} ${escaped(path)}</code>`,
      capability,
      time: capability === "not tried" ? "" : `${medianMs.toFixed(1)} ms`,
    })),
    { group: "workflow", name: "Workflows", capability: "", time: "" },
    { group: "adapter", name: "The adapter as a whole", capability: "", time: "" },
  ] as const;
  const lines = rows.flatMap(({ group, name, capability, time }) => {
    const own = checks.filter((check) => check.group === group);
    if (own.length === 0) return [];
    const count = (state: CheckReport["state"]) => own.filter((check) => check.state === state).length;
    const failed = count("failed");
    return [
      `<tr><td>${name}</td><td>${capability}</td><td class="n good">${count("passed")}</td><td class="n ${failed > 0 ? "bad" : "soft"}">${failed}</td><td class="n soft">${time}</td></tr>`,
    ];
  });
  return `<table><thead><tr><th>Endpoint</th><th>Capability</th><th class="n">Passed</th><th class="n">Failed</th><th class="n">Median</th></tr></thead><tbody>${lines.join("\n")}</tbody></table>`;
}

function checkHtml({ id, title, state, reason, basis, hint, findings, findingCount }: CheckReport): string {
  const mark = { passed: '<span class="good">✓</span>', failed: '<span class="bad">✗</span>', skipped: "·" }[state];
  const more = findingCount - findings.length;
  return `<details data-state="${state}"><summary>${mark} <code>${escaped(id)}</code> ${escaped(title)}${reason === undefined ? "" : ` <span class="soft">(${escaped(reason)})</span>`}</summary><div>
<blockquote>${escaped(basis.text)}<br>(${basis.source}, ${escaped(basis.where)})</blockquote>
${findings.map(findingHtml).join("")}${more > 0 ? `<p class="soft">… and ${more} more of this kind</p>` : ""}${state === "failed" ? `<p><strong>Hint:</strong> ${escaped(hint)}</p>` : ""}</div></details>`;
}

const findingHtml = ({ expected, sent, received }: Finding): string =>
  `<p>Expected: ${escaped(expected)}</p><pre>${escaped(`${sent.method} ${sent.path}${sent.body === null ? "" : `\n${sent.body}`}`)}</pre><pre>${escaped(`${received.status ?? "no answer"} ${received.contentType ?? ""} (${received.durationMs} ms)\n${received.text}`)}</pre>`;

const escaped = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\0", "\uFFFD");

/** Styles of the report: light, dark and print. */
const htmlStyle = `
:root { color-scheme: light dark; --bg:#fff; --fg:#1c2430; --soft:#5b6675; --line:#dfe4ea; --card:#f6f8fa; --good:#1a7f4b; --bad:#c2332b; }
@media (prefers-color-scheme: dark) { :root { --bg:#12161c; --fg:#e6eaf0; --soft:#98a3b3; --line:#2b3440; --card:#1a2028; --good:#4cc38a; --bad:#ff7b72; } }
* { box-sizing: border-box } body { margin:0 auto; max-width:70rem; padding:2rem 1.25rem; background:var(--bg); color:var(--fg); font:15px/1.5 system-ui,sans-serif }
h1 { font-size:1.5rem; margin:0 } .soft { color:var(--soft) } a { color:inherit }
header { display:flex; gap:1.5rem; align-items:center; margin-bottom:1.5rem; flex-wrap:wrap }
.score { width:6.5rem; height:6.5rem; border-radius:50%; display:grid; place-items:center; font-size:1.35rem; font-weight:700;
  background:radial-gradient(closest-side,var(--bg) 80%,transparent 81%),conic-gradient(var(--c) calc(var(--p)*1%),var(--line) 0) }
table { border-collapse:collapse; width:100%; margin-bottom:1.5rem } th,td { text-align:left; padding:.3rem .6rem; border-bottom:1px solid var(--line) }
th { font-weight:600; color:var(--soft) } td.n,th.n { text-align:right; font-variant-numeric:tabular-nums } code,pre { font:13px/1.45 ui-monospace,monospace }
.bad { color:var(--bad); font-weight:600 } .good { color:var(--good) }
.tools { display:flex; gap:.75rem; flex-wrap:wrap; margin:1rem 0; position:sticky; top:0; background:var(--bg); padding:.5rem 0 }
input[type=search] { flex:1; min-width:14rem } input,select { font:inherit; padding:.35rem .6rem; border:1px solid var(--line); border-radius:6px; background:var(--card); color:inherit }
details { border:1px solid var(--line); border-radius:8px; margin:.4rem 0; background:var(--card) } summary { cursor:pointer; padding:.45rem .75rem }
details>div { padding:0 .75rem .75rem } blockquote { margin:.3rem 0; padding-left:.75rem; border-left:3px solid var(--line); color:var(--soft) }
pre { white-space:pre-wrap; overflow-wrap:anywhere; background:var(--bg); border:1px solid var(--line); border-radius:6px; padding:.5rem; margin:.3rem 0 }
td code { overflow-wrap:anywhere }
@media (max-width: 40rem) { body { padding:1rem .75rem } th,td { padding:.3rem .25rem } table { font-size:13px } table code { font-size:12px } th:last-child,td:last-child { display:none } }
@media print { .tools { display:none } }
`;
