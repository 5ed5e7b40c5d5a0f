import { operationRow } from "../../../contract/operations.ts";
import type { Finding } from "../calls/call-tally.ts";
import { type Summary, verdictOf } from "./summary.ts";

interface Series {
  readonly name: string;
  readonly colour: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

const [width, height, left, bottom, top] = [720, 220, 56, 28, 14];

/** Draws lines over time as SVG, made only from our own numbers and names. */
export function linePlot(title: string, unit: string, series: readonly Series[]): string {
  const points = series.flatMap((one) => one.points);
  const mostX = Math.max(1, ...points.map(([x]) => x));
  const mostY = niceTop(Math.max(...points.map(([, y]) => y), 0));
  const x = (value: number) => left + (value / mostX) * (width - left - 10);
  const y = (value: number) => height - bottom - (value / mostY) * (height - bottom - top);
  const lines = series.map(({ colour, points }) => {
    const places = points.map(([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`);
    const line = `<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${places.join(" ")}"/>`;
    // A line needs two points: for a shift of seconds dots are drawn instead.
    const dots = places.length > 3 ? [] : places.map((place) => dot(place, colour));
    return line + dots.join("");
  });
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const at = y(mostY * share).toFixed(1);
    return `<line x1="${left}" x2="${width - 10}" y1="${at}" y2="${at}" class="grid"/><text x="${left - 6}" y="${at}" text-anchor="end" dy="4">${short(mostY * share)}</text>`;
  });
  const legend = series.map(
    ({ name, colour }, index) =>
      `<rect x="${left + 8 + index * 110}" y="${top}" width="10" height="10" fill="${colour}"/><text x="${left + 22 + index * 110}" y="${top + 9}">${name}</text>`,
  );
  const ends = `<text x="${left}" y="${height - 8}">0 s</text><text x="${width - 10}" y="${height - 8}" text-anchor="end">${short(mostX)} s</text>`;
  return `<figure><figcaption>${title} (${unit})</figcaption><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">${[...grid, ...lines, ...legend, ends].join("")}</svg></figure>`;
}

const dot = (place: string, colour: string): string => {
  const [cx, cy] = place.split(",");
  return `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`;
};

/** Number of calls by duration, on a logarithmic axis. */
export function histogramPlot(title: string, buckets: readonly { upToMs: number; count: number }[]): string {
  const most = Math.max(1, ...buckets.map(({ count }) => count));
  const logs = buckets.map(({ upToMs }) => Math.log10(upToMs));
  const [from, to] = [Math.floor(Math.min(0, ...logs)), Math.ceil(Math.max(1, ...logs))];
  const x = (value: number) => left + ((value - from) / (to - from)) * (width - left - 10);
  const barWidth = Math.max(1, x(from + Math.log10(1.05)) - x(from) - 0.5);
  const bars = buckets.map(({ upToMs, count }) => {
    const barHeight = (count / most) * (height - bottom - top);
    return `<rect x="${(x(Math.log10(upToMs)) - barWidth).toFixed(1)}" y="${(height - bottom - barHeight).toFixed(1)}" width="${barWidth.toFixed(1)}" height="${barHeight.toFixed(1)}" fill="var(--mark)"/>`;
  });
  const marks = Array.from({ length: to - from + 1 }, (_, index) => {
    const at = x(from + index).toFixed(1);
    const text = `${short(10 ** (from + index))} ms`;
    // A centred label at the last line would be cut off at the edge of the picture.
    const label =
      index === to - from
        ? `<text x="${width - 1}" y="${height - 8}" text-anchor="end">${text}</text>`
        : `<text x="${at}" y="${height - 8}" text-anchor="middle">${text}</text>`;
    return `<line x1="${at}" x2="${at}" y1="${top}" y2="${height - bottom}" class="grid"/>${label}`;
  });
  return `<figure><figcaption>${title}</figcaption><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">${[...marks, ...bars].join("")}</svg></figure>`;
}

const niceTop = (most: number): number => {
  if (most <= 0) return 1;
  const tens = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5, 10].find((step) => step * tens >= most) ?? 10) * tens;
};
const short = (value: number): string =>
  value >= 10 || value === 0 ? String(Math.round(value)) : String(Number(value.toFixed(2)));

/** One file without external resources: it can be mailed and opened years later. */
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
${doubts.length === 0 ? "" : `<h2>Doubtful</h2><p>No adapter can help these. Where the connection broke between two equal pieces, it cannot distinguish the second from a repetition of the first without an id; and where the platform has closed a line with its last step, nothing has shown it.</p>${doubts.map(findingBlock).join("")}`}
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
/** Contains answers of other adapters: none of it may become markup. */
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const style = `:root{color-scheme:light dark;--bg:#fff;--fg:#1c2430;--soft:#55606e;--line:#e3e7ec;--card:#f2f4f7;--good:#2c8a57;--goodbg:#eef8f1;--bad:#c2452d;--badbg:#fcf0ee;--mark:#3b6fb6}
@media (prefers-color-scheme:dark){:root{--bg:#12161c;--fg:#e6eaf0;--soft:#98a3b3;--line:#2b3440;--card:#1a2028;--good:#4cc38a;--goodbg:#14231c;--bad:#ff7b72;--badbg:#2a1719;--mark:#6ea3ec}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);margin:0}main{max-width:900px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid var(--line);font-weight:normal;overflow-wrap:anywhere}
th{color:var(--soft)}tr>th:first-child:not(.figures th){overflow-wrap:normal}.figures td,.figures th:not(:first-child){text-align:right}.good,.bad{padding:.6rem 1rem;border-left:6px solid;font-size:1.2rem}.good{border-color:var(--good);background:var(--goodbg)}.bad{border-color:var(--bad);background:var(--badbg)}
figure{margin:1.5rem 0}figcaption{color:var(--soft)}svg{width:100%;height:auto}svg text{font:11px system-ui,sans-serif;fill:var(--soft)}.grid{stroke:var(--line)}details{border-bottom:1px solid var(--line);padding:.4rem 0}code{background:var(--card)}
@media (max-width:40rem){th,td{padding:.25rem .3rem}.figures{font-size:12px}}`;
