import type { EntryDetail, EntryMention, EntryView, ExchangeView } from "../../app/stored-journal.ts";
import { indentedJson, indentJson, oneLine, type ShownTime, textTable } from "../describe/terminal-text.ts";

/** One entry per line: aligned with headings on a terminal; in a pipe separated by tabs, with times in UTC. */
export function describeEntries(
  entries: readonly EntryView[],
  { isInteractive, shownTime }: { readonly isInteractive: boolean; readonly shownTime: ShownTime },
): string {
  if (!isInteractive) {
    const fields = (entry: EntryView) => cells(entry, (utc) => utc).toSpliced(1, 0, entry.id);
    return entries.map((entry) => fields(entry).map(oneLine).join("\t")).join("\n");
  }
  return textTable([
    ["Entry", "Received", "State", "Kind", "Orders", "What"],
    ...entries.map((entry) => cells(entry, shownTime)),
  ]);
}

function cells(entry: EntryView, shownTime: ShownTime): string[] {
  const { seq, receivedAt, state, reason, topic, orders, text, lastError } = entry;
  const shownState = reason === null ? state : `${state}: ${reason}`;
  // Shows why an entry is dead. Otherwise each dead entry would have to be opened.
  const why = lastError === null ? text : `${text} (${shortened(oneLine(lastError))})`;
  return [String(seq), shownTime(receivedAt), shownState, topic, orders.join(" "), why];
}

const longestError = 160;
const shortened = (line: string) => (line.length > longestError ? `${line.slice(0, longestError)}…` : line);

/** Everything about one entry, as readable text. */
export function describeEntry(entry: EntryDetail, shownTime: ShownTime): string {
  const timeOf = (utc: string | null) => (utc === null ? null : shownTime(utc));
  const { answer, heldBehind, waitingBehind, waitingCount, attemptLog, audit } = entry;
  const facts: (readonly [string, string | null])[] = [
    ["Entry", `${entry.seq}  ${entry.id}`],
    ["What", `${entry.topic}: ${entry.text}`],
    ["State", entry.reason === null ? entry.state : `${entry.state}: ${entry.reason}`],
    [
      "Way",
      entry.direction === "out"
        ? `platform → ${entry.target ?? "journal only"}`
        : `external system → ${entry.target ?? "adapter"}`,
    ],
    ["Sender", entry.sender],
    ["Received", timeOf(entry.receivedAt)],
    ["Answer", answer === null ? null : answer.isSuccess ? "success" : `${answer.result} ${answer.message ?? ""}`],
    ["Answered", timeOf(entry.answeredAt)],
    ["Delivered", timeOf(entry.deliveredAt)],
    ["Next attempt", timeOf(entry.nextAttemptAt)],
    ["Operator", entry.operator],
    ["Lanes", entry.lanes.map(({ lane }) => lane).join("  ")],
    ["Trace", entry.traceId],
    ["Possible repeat of", entry.possibleRepeatOf === null ? null : String(entry.possibleRepeatOf)],
    ["Possible", entry.possibleActions.length === 0 ? null : entry.possibleActions.join(", ")],
  ];
  const parts = [textTable(facts.flatMap(([name, value]) => (value === null || value === "" ? [] : [[name, value]])))];
  const section = (title: string, rows: readonly (readonly string[])[]) => {
    if (rows.length > 0) parts.push(`${title}\n${textTable(rows)}`);
  };
  section("Held behind", heldBehind.map(mention));
  section(`Waiting behind it: ${waitingCount}${entry.isCountCut ? " or more" : ""}`, waitingBehind.map(mention));
  section(
    "Attempts",
    attemptLog.map(({ n, startedAt, ms, outcome, status, error }) => [
      ...[String(n), shownTime(startedAt), `${ms} ms`, outcome, status === null ? "" : String(status), error ?? ""],
    ]),
  );
  for (const { n, exchanges } of attemptLog) {
    for (const exchange of exchanges)
      parts.push(describeExchange(n, exchange, shownTime).map(shownLine).join("\n").trimStart());
  }
  section(
    "Decisions",
    audit.map(({ at, operator, action, reason }) => [shownTime(at), operator, action, reason ?? ""]),
  );
  const body = entry.body === "" ? "(erased by retention, or lost with a damaged page)" : indentJson(entry.body, "  ");
  parts.push(`Body\n${body.split("\n").map(shownLine).join("\n")}`);
  return parts.join("\n\n");
}

const mention = ({ seq, state, reason, topic, text }: EntryMention): string[] => [
  String(seq),
  reason === null ? state : `${state}: ${reason}`,
  topic,
  text,
];

const maxShown = 200;

/** A JSON line contains no line breaks, but it may contain control characters for the terminal, or a long image. */
function shownLine(line: string): string {
  const shown = line.length > maxShown ? `${line.slice(0, maxShown)}… ${line.length - maxShown} more` : line;
  return `  ${shown.replace(/\p{Cc}|\p{Bidi_Control}/gu, "�")}`;
}

/** What an attempt sent and received, line by line. */
export function describeExchange(
  attempt: number,
  { sentAt, step, skipped, to, headers, body, answer }: ExchangeView,
  shownTime: ShownTime,
): string[] {
  const of = step === null ? "" : `, step ${step}`;
  if (skipped !== null) return [`Not sent by attempt ${attempt}${of}: ${skipped}`];
  return [
    `Sent by attempt ${attempt}${of} at ${shownTime(sentAt)}`,
    ...indented([...to.split("\n"), ...headerLines(headers), ...textLines(body)]),
    answer === null ? "No answer" : `Answer after ${answer.ms} ms${answer.status === null ? "" : `: ${answer.status}`}`,
    ...(answer === null ? [] : indented([...headerLines(answer.headers), ...textLines(answer.body)])),
  ];
}

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

const headerLines = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

function textLines(kept: ExchangeView["body"]): string[] {
  if (kept === null || kept.bytes === 0) return [];
  const isWhole = Buffer.byteLength(kept.text) >= kept.bytes;
  const lines = (isWhole ? indentedJson(kept.text) : kept.text).split("\n");
  return isWhole ? lines : [...lines, `… only the beginning of ${kept.bytes} bytes was kept`];
}
