/** Looks of the report; both light and dark, and readable in print. */
export const htmlStyle = `
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
