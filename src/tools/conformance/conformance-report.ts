import { styleText } from "node:util";
import type { OperationId } from "../../contract/operations.ts";
import type { Check, Level } from "./conformance-check.ts";
import type { Capability } from "./harness/ledger.ts";
import type { Exchange, Sent } from "./harness/recorded-exchange.ts";
import { isReceived } from "./harness/wire.ts";

/** The answer as shown in reports: shortened, with the relevant headers. */
export interface Shown {
  readonly status: number | null;
  readonly contentType: string | null;
  /** The body, or why there was none. */
  readonly text: string;
  readonly durationMs: number;
}

/** One difference between an adapter and a requirement. */
export interface Finding {
  readonly expected: string;
  readonly sent: Sent;
  readonly received: Shown;
}

/** The result of one check. */
export interface CheckReport extends Omit<Check, "run"> {
  readonly state: "passed" | "failed" | "skipped";
  /** Why the check was skipped. */
  readonly reason?: string;
  readonly findings: readonly Finding[];
  /** The number of findings, including those that are not shown. */
  readonly findingCount: number;
}

/** The results for one endpoint. */
export interface EndpointReport {
  readonly operation: OperationId;
  readonly method: string;
  readonly path: string;
  readonly capability: Capability;
  readonly calls: number;
  readonly medianMs: number;
}

/** All results for an adapter. */
export interface Report {
  readonly url: string;
  readonly level: Level;
  readonly isContractOnly: boolean;
  /** Title and version of the adapter, as it reports them itself. */
  readonly adapter: { readonly title: string | null; readonly version: string | null };
  readonly runId: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly calls: number;
  readonly validationMode: "envelope" | "problem-details" | "mixed" | "unknown";
  /** Share of passed checks among those that could be judged, in percent; 100 only without a finding. */
  readonly score: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly endpoints: readonly EndpointReport[];
  readonly checks: readonly CheckReport[];
}

const maxShown = 800;

/** A complaint as shown in a report: short enough to read, and without the headers for a gateway. */
export function shownFinding({ sent, reply }: Exchange, expected: string): Finding {
  return {
    expected,
    sent: { ...sent, path: cut(sent.path), body: sent.body === null ? null : cut(sent.body) },
    received: isReceived(reply)
      ? {
          status: reply.status,
          contentType: reply.headers["content-type"] ?? null,
          text: cut(reply.body),
          durationMs: Math.round(reply.durationMs),
        }
      : { status: null, contentType: null, text: reply.failure, durationMs: Math.round(reply.durationMs) },
  };
}

const cut = (text: string): string =>
  text.length > maxShown ? `${text.slice(0, maxShown)}… (${text.length} characters)` : text;

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

/** The report for a terminal: a line per endpoint, then every finding with request and answer. */
export function textReport(report: Report, { colour }: { colour: boolean }): string {
  // The caller knows the terminal and has decided about colours.
  const paint: Paint = (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text);
  const findings = report.checks.filter(({ state }) => state === "failed");
  return [
    `${report.adapter.title ?? "An adapter"} ${report.adapter.version ?? ""} at ${report.url}`.replace(/ +/g, " "),
    `${report.level} · ${report.calls} calls in ${(report.durationMs / 1000).toFixed(1)} s · invalid input: ${report.validationMode}`,
    "",
    ...summary(report, paint),
    "",
    ...findings.flatMap((check) => [...describe(check, paint), ""]),
    verdict(report, paint),
  ].join("\n");
}

function summary({ endpoints, checks }: Report, paint: Paint): string[] {
  const groups = [
    ...endpoints.map(({ operation, method, path, capability, medianMs }) => {
      const note = capability === "offered" ? `${medianMs.toFixed(1)} ms` : capability;
      return { group: operation, name: `${method.padEnd(4)} ${path}`, note };
    }),
    { group: "workflow", name: "workflows", note: "" },
    { group: "adapter", name: "the adapter as a whole", note: "" },
  ] as const;
  const width = Math.max(...groups.map(({ name }) => name.length));
  return groups.flatMap(({ group, name, note }) => {
    const own = checks.filter((check) => check.group === group);
    const count = (state: CheckReport["state"]) => own.filter((check) => check.state === state).length;
    if (own.length === 0) return [];
    const failed = count("failed");
    const mark = failed > 0 ? paint("red", "✗") : count("passed") > 0 ? paint("green", "✓") : paint("dim", "·");
    const found = failed === 0 ? "" : paint("red", `  ${failed} failed`);
    return [
      `${mark} ${name.padEnd(width)}  ${String(count("passed")).padStart(3)} passed${found}  ${paint("dim", note)}`.trimEnd(),
    ];
  });
}

function describe({ id, title, basis, hint, findings, findingCount }: CheckReport, paint: Paint): string[] {
  const more = findingCount - findings.length;
  return [
    `${paint("red", "✗")} ${paint("bold", id)}: ${title}`,
    `    ${basis.source}, ${basis.where}: “${basis.text}”`,
    ...findings.flatMap(exchangeLines),
    ...(more > 0 ? [`    … and ${more} more of this kind`] : []),
    `    Hint: ${hint}`,
  ];
}

function exchangeLines({ expected, sent, received }: Finding): string[] {
  return [
    `    expected  ${oneLine(expected)}`,
    `    sent      ${sent.method} ${oneLine(sent.path)}${sent.body === null ? "" : ` ${oneLine(sent.body)}`}`,
    `    received  ${received.status ?? "nothing:"} ${oneLine(received.text)}`,
  ];
}

const maxLine = 300;
/** Replaces control characters: another server's text must not control the reader's terminal. */
function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").replace(/\p{Cc}/gu, "\uFFFD");
  return line.length > maxLine ? `${line.slice(0, maxLine)}…` : line;
}

function verdict({ score, passed, failed, skipped }: Report, paint: Paint): string {
  const text = `Score ${score} %: ${passed} passed, ${failed} failed, ${skipped} not applicable or not offered`;
  return paint(failed === 0 ? "green" : "red", text);
}

/** The report as JUnit XML for build servers: a suite per endpoint, a case per check. */
export function junitReport({ url, durationMs, passed, failed, skipped, checks }: Report): string {
  const groups = [...new Set(checks.map(({ group }) => group))];
  const total = passed + failed + skipped;
  const suites = groups.map((group) => {
    const own = checks.filter((check) => check.group === group);
    const count = (state: CheckReport["state"]) => own.filter((check) => check.state === state).length;
    const head = `<testsuite name="${escaped(group)}" tests="${own.length}" failures="${count("failed")}" skipped="${count("skipped")}">`;
    return [`  ${head}`, ...own.map(testCase), "  </testsuite>"].join("\n");
  });
  const time = (durationMs / 1000).toFixed(3);
  const head = `<testsuites name="crossdock conform ${escaped(url)}" tests="${total}" failures="${failed}" skipped="${skipped}" time="${time}">`;
  return ['<?xml version="1.0" encoding="UTF-8"?>', head, ...suites, "</testsuites>", ""].join("\n");
}

function testCase({ id, group, title, state, reason = "", basis, hint, findings }: CheckReport): string {
  const head = `    <testcase classname="${escaped(group)}" name="${escaped(`${id}: ${title}`)}"`;
  if (state === "passed") return `${head}/>`;
  if (state === "skipped") return `${head}><skipped message="${escaped(reason)}"/></testcase>`;
  const lines = findings.map(
    ({ expected, sent, received }) =>
      `expected: ${expected}\nsent: ${sent.method} ${sent.path} ${sent.body ?? ""}\nreceived: ${received.status ?? "nothing"} ${received.text}`,
  );
  const text = [...lines, `${basis.source}, ${basis.where}: ${basis.text}`, `hint: ${hint}`].join("\n\n");
  return `${head}><failure message="${escaped(findings[0]?.expected ?? "")}">${escaped(text)}</failure></testcase>`;
}

/** XML cannot contain control characters, even escaped. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
