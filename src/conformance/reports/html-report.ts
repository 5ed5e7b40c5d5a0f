import type { CheckReport, Finding, Report } from "../report.ts";
import { htmlStyle } from "./html-style.ts";

/** The whole report in one file: nothing is loaded from anywhere, so it can be mailed. */
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
