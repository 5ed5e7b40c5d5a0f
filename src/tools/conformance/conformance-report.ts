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
  /** Why it was skipped. */
  readonly reason?: string;
  readonly findings: readonly Finding[];
  /** Including those that are not shown. */
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
