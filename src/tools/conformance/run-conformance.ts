import { operationIds, operationRow } from "../../contract/operations.ts";
import { type Clock, systemClock } from "../../kit/time/clock.ts";
import { systemTimers, type Timers } from "../../kit/time/timers.ts";
import { allLaws, catalogue } from "./catalogue.ts";
import { promptForFiles } from "./checks/file-checks.ts";
import type { Check, Level } from "./conformance-check.ts";
import { type CheckReport, type EndpointReport, type Report, shownFinding } from "./conformance-report.ts";
import { discover, type Given, type Knowledge } from "./harness/knowledge.ts";
import { type Complaint, ledgerChecks, openLedger, timeCheckId } from "./harness/ledger.ts";
import { type Exchange, statusOf } from "./harness/recorded-exchange.ts";
import { NoAdapter, openTrial, Skipped } from "./harness/session.ts";
import { isReceived, openWire } from "./harness/wire.ts";
import { sentences } from "./sentences.ts";

export interface ConformanceOptions extends Given {
  /** Address of the adapter, with its base path if it has one. */
  readonly url: string;
  /** `read-only` by default. */
  readonly level?: Level;
  /** Leaves out the checks that only docs/reference/behaviour.md requires. */
  readonly isContractOnly?: boolean;
  /** Runs only the checks of these groups: names of operations, `adapter`, `workflow`. */
  readonly only?: readonly string[];
  /**
   * The key of the inbound routes, if the adapter has the same ones as Crossdock. Then workflows push their own orders.
   */
  readonly apiKey?: string;
  /** Sent with every request, such as credentials for a gateway. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Multiplies the time budgets, such as for a slow network. */
  readonly budgetFactor?: number;
  readonly deadlineMs?: number;
  readonly onProgress?: (progress: Progress) => void;
  readonly clock?: Clock;
  readonly timers?: Timers;
  readonly newRunId?: () => string;
}

export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly current: string;
  readonly findings: number;
}

const modeCheck: Omit<Check, "run"> = {
  id: "adapter.one-validation-mode",
  group: "adapter",
  title: "invalid input is refused in one way on all endpoints",
  level: "read-only",
  basis: sentences.validationModes,
  hint: "Choose HTTP 400 with problem details or the envelope for the whole adapter host, not per endpoint.",
};

/** All checks, before it is known which of them apply. */
export function allChecks(): readonly Omit<Check, "run">[] {
  return [modeCheck, ...ledgerChecks(allLaws()), ...catalogue];
}

/** Whether a check is selected by these options. */
export const wantedBy =
  ({
    level = "read-only",
    isContractOnly = false,
    only,
  }: Pick<ConformanceOptions, "level" | "isContractOnly" | "only">) =>
  (check: Omit<Check, "run">): boolean =>
    (level === "full" || check.level === "read-only") &&
    !(isContractOnly && check.basis.source === "behaviour") &&
    (only === undefined || only.includes(check.group));

const maxFindings = 3;
const defaultDeadlineMs = 30_000;
const nothingKnown: Knowledge = { orders: [], items: [], canPush: false };

/** Runs all checks against the adapter at this address. */
export async function runConformance(options: ConformanceOptions): Promise<Report> {
  const { url, level = "read-only", isContractOnly = false, apiKey, budgetFactor = 1, clock = systemClock } = options;
  const runId = options.newRunId?.() ?? Math.trunc(clock.now()).toString(36).toUpperCase();
  const startedAt = clock.now();
  const wire = openWire({
    baseUrl: url,
    deadlineMs: options.deadlineMs ?? defaultDeadlineMs,
    now: () => performance.now(),
    ...(options.headers === undefined ? {} : { headers: options.headers }),
  });
  const laws = allLaws();
  const ledger = openLedger({ laws, budgetFactor });
  const isWanted = wantedBy(options);

  const trialWith = (known: Knowledge, onComplaint: (complaint: Complaint) => void) =>
    openTrial({
      wire,
      ledger,
      timers: options.timers ?? systemTimers,
      runId,
      known,
      onComplaint,
      ...(apiKey === undefined ? {} : { apiKey }),
    });

  try {
    const first = trialWith(nothingKnown, () => {});
    const status = await first.call("getStatus");
    if (!isReceived(status.reply)) throw new NoAdapter(url, status.reply.failure);
    // One missing route is a finding. If the first two are missing, it is another server or a wrong base path.
    if (status.reply.status === 404 && statusOf(await first.call("listWorkOrders")) === 404)
      throw new NoAdapter(url, "none of its routes is found there");
    const known = await discover(first, options, level === "full" && apiKey !== undefined);
    await promptForFiles(first);

    const wanted = catalogue.filter(isWanted);
    const reports: CheckReport[] = [];
    let findings = 0;
    for (const [done, check] of wanted.entries()) {
      options.onProgress?.({ done, total: wanted.length, current: check.id, findings });
      const report = await runCheck(check, known, trialWith);
      findings += report.findingCount;
      reports.push(report);
    }

    const ofLedger = ledgerChecks(laws)
      .filter(isWanted)
      .map((check): CheckReport => {
        const operation = check.group;
        if (operation !== "adapter" && operation !== "workflow" && check.id === timeCheckId(operation)) {
          return timeReport(check, ledger.timeOf(operation));
        }
        const { judged, complaints, complaintCount } = ledger.standingOf(check.id);
        return reportOf(check, complaints, complaintCount, judged === 0 ? "no answer was of this kind" : undefined);
      });
    const modes = ledger.modes();
    const modeComplaints =
      modes.length < 2 ? [] : modes.map(([mode, exchange]) => ({ expected: `one way; this is ${mode}`, exchange }));
    const ofMode = reportOf(
      modeCheck,
      modeComplaints,
      modeComplaints.length,
      modes.length === 0 ? "nothing was refused" : undefined,
    );
    const checks = [...(isWanted(modeCheck) ? [ofMode] : []), ...ofLedger, ...reports];
    return {
      url: shownUrl(url),
      level,
      isContractOnly,
      adapter: adapterOf(status),
      runId,
      startedAt: new Date(startedAt).toISOString(),
      durationMs: clock.now() - startedAt,
      calls: ledger.calls(),
      validationMode: modes.length > 1 ? "mixed" : modeNamed(modes[0]?.[0]),
      ...totals(checks),
      endpoints: operationIds.map((operation): EndpointReport => {
        const { method, path } = operationRow(operation);
        const { calls, medianMs } = ledger.timeOf(operation);
        return { operation, method, path, capability: ledger.capabilityOf(operation), calls, medianMs };
      }),
      checks,
    };
  } finally {
    wire.close();
  }
}

async function runCheck(
  check: Check,
  known: Knowledge,
  trialWith: (known: Knowledge, onComplaint: (complaint: Complaint) => void) => ReturnType<typeof openTrial>,
): Promise<CheckReport> {
  const complaints: Complaint[] = [];
  try {
    await check.run(trialWith(known, (complaint) => complaints.push(complaint)));
  } catch (error) {
    if (!(error instanceof Skipped)) throw error;
    // Complaints made before the error still count.
    if (complaints.length === 0) return reportOf(check, [], 0, error.message);
  }
  return reportOf(check, complaints.slice(0, maxFindings), complaints.length);
}

function reportOf(
  { id, group, title, level, basis, hint }: Omit<Check, "run">,
  complaints: readonly Complaint[],
  findingCount: number,
  reason?: string,
): CheckReport {
  const state = findingCount > 0 ? "failed" : reason === undefined ? "passed" : "skipped";
  const findings = complaints.map(({ exchange, expected }) => shownFinding(exchange, expected));
  return {
    id,
    group,
    title,
    level,
    basis,
    hint,
    state,
    findings,
    findingCount,
    ...(state === "skipped" && reason !== undefined ? { reason } : {}),
  };
}

function timeReport(
  check: Omit<Check, "run">,
  {
    calls,
    medianMs,
    budgetMs,
    slowest,
  }: { calls: number; medianMs: number; budgetMs: number; slowest: Exchange | undefined },
): CheckReport {
  if (slowest === undefined) return reportOf(check, [], 0, "not called");
  if (medianMs <= budgetMs) return reportOf(check, [], 0);
  const expected = `${budgetMs} ms; the median of ${calls} calls is ${Math.round(medianMs)} ms`;
  return reportOf(check, [{ exchange: slowest, expected }], 1);
}

function totals(checks: readonly CheckReport[]) {
  const count = (state: CheckReport["state"]) => checks.filter((one) => one.state === state).length;
  const [passed, failed, skipped] = [count("passed"), count("failed"), count("skipped")];
  return { passed, failed, skipped, score: passed + failed === 0 ? 0 : Math.floor((100 * passed) / (passed + failed)) };
}

const modeNamed = (mode: string | undefined): Report["validationMode"] =>
  mode === "envelope" || mode === "problem-details" ? mode : "unknown";

function adapterOf({ answer }: Exchange): Report["adapter"] {
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  return { title: text(answer?.["title"]), version: text(answer?.["version"]) };
}

/** The address without the password that it may contain. */
function shownUrl(url: string): string {
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  return shown.href.replace(/\/$/, "");
}
