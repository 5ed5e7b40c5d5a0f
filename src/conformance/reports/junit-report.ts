import type { CheckReport, Report } from "../report.ts";

/** The report as JUnit XML, which every build server shows: a suite per endpoint, a case per check. */
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

/** XML has no way to write control characters, escaped or not. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
