/** The used part of a report of `npm audit --json`. */
interface AuditReport {
  readonly error?: { readonly summary?: string; readonly code?: string };
  readonly message?: string;
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>;
}

const serious = new Set(["high", "critical"]);

/**
 * A known vulnerability stops a release. A registry that has no audits, or cannot be reached, does not; then the reason
 * is told.
 */
export function judgeAudit(
  output: string,
  complaint = "",
): { readonly isBad: boolean; readonly lines: readonly string[] } {
  let report: AuditReport;
  try {
    // The members of npm's own report, each of which may be missing.
    report = JSON.parse(output) as AuditReport;
  } catch {
    return { isBad: false, lines: [`Nothing is known about weaknesses: ${firstLine(complaint)}.`] };
  }
  const { error, message, vulnerabilities } = report;
  if (vulnerabilities === undefined) {
    const why = error?.summary || error?.code || message || complaint;
    return { isBad: false, lines: [`Nothing is known about weaknesses: ${firstLine(why)}.`] };
  }
  const found = Object.entries(vulnerabilities);
  const lines = found.map(([name, { severity, range }]) => `${severity}: ${name} ${range}`);
  return {
    isBad: found.some(([, { severity }]) => serious.has(severity)),
    lines: lines.length === 0 ? ["No library that users get has a known weakness."] : lines,
  };
}

const firstLine = (text: string): string => text.trim().split("\n")[0] || "the registry gave no report";
