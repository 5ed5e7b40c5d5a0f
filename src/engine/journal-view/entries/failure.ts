import { createHash } from "node:crypto";
import type { Entry } from "../../../journal/entry.ts";
import type { AttemptRecord, JournalReader } from "../../../journal/journal.ts";
import type { FailureKind } from "./failure-kind.ts";
import { maskPersonal } from "./mask-personal.ts";

export interface Failure {
  readonly kind: FailureKind;
  /** A key that all entries with the same cause share; it names the group in an address. */
  readonly cause: string;
  /** The error without the parts that differ between entries; empty if there was no attempt. */
  readonly text: string;
  readonly status: number | null;
}

/** A failure with its own error, of which some parts may differ from those of other entries with the same cause. */
export interface OwnFailure extends Failure {
  readonly ownText: string;
}

type Reading = Pick<JournalReader, "latestAttempt" | "heldBy">;

const longest = 200;

export function failureOf(read: Reading, entry: Entry): OwnFailure {
  const attempt = entry.state === "accepted" && entry.targetFailures === 0 ? null : read.latestAttempt(entry.seq);
  const kind = kindOf(read, entry, attempt);
  const hasError = kind === "refused" || kind === "unreachable";
  const status = hasError ? (attempt?.status ?? null) : null;
  const ownText = hasError ? maskPersonal(attempt?.error ?? entry.reason ?? "") : "";
  const text = plainText(ownText, status);
  const cause = createHash("sha256")
    .update(JSON.stringify([entry.target, kind, status, text]))
    .digest("hex");
  return { kind, cause: cause.slice(0, 12), text, status, ownText: inOneLine(ownText) };
}

function kindOf(read: Reading, entry: Entry, attempt: AttemptRecord | null): FailureKind {
  if (entry.state === "dead") return entry.reason === "target-unavailable" ? "unreachable" : "refused";
  if (attempt === null) {
    const isBehind = entry.lanes.some(({ lane }) => {
      const holder = read.heldBy(lane);
      return holder !== null && holder < entry.seq;
    });
    return isBehind ? "behind" : "waiting";
  }
  const { status } = attempt;
  return status !== undefined && status >= 400 && status < 500 ? "refused" : "unreachable";
}

/** In a sentence for people only some words differ, and the others say the cause. */
const isSentence = (text: string, at: number): boolean =>
  /"(?:message|error|detail|title|reason|description|value)"\s*:\s*$/.test(text.slice(Math.max(0, at - 24), at));

/** Removes numbers, ids and quoted names, which differ between entries with the same cause. */
function plainText(error: string, status: number | null): string {
  const same = error
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/gi, "…")
    .replace(/"[^"]{1,200}"|“[^”]{1,200}”/g, (quoted, at: number, whole: string) =>
      /\d/.test(quoted) && !isSentence(whole, at) ? `${quoted[0]}…${quoted.at(-1)}` : quoted,
    )
    .replace(/(?<![A-Za-z])[A-Za-z]{0,6}-?\d[\w-]*/g, (name) => (name === String(status) ? name : "…"));
  return inOneLine(same);
}

function inOneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
