import { operationIds, operationRow } from "../../contract/operations.ts";
import type { UpdatedLine, UpdateWorkOrderRequest } from "../../contract/schemas/confirm-step.ts";
import type { Entry, Exchange } from "../../journal/entry.ts";
import type { JournalReader } from "../../journal/journal.ts";
import { type Phrase, type PhraseValue, phrase, phraseOr, sayPhrase } from "../../messages/phrases/phrase.ts";
import { recognise } from "../../messages/phrases/recognise.ts";
import {
  type AnswerView,
  type EntryContent,
  type EntryView,
  entryView,
  isoTime,
  type Privacy,
} from "./entries/entry-view.ts";
import { maskingFor } from "./entries/mask-personal.ts";
import type { StepLine } from "./order-records.ts";
import { plainEvent, type TimelineEvent, textOf } from "./timeline-event.ts";

const maxPlace = 200;
const cut = (text: string) => (text.length > maxPlace ? `${text.slice(0, maxPlace)}…` : text);

interface Parsed {
  readonly content: EntryContent;
  readonly answer: AnswerView | null;
}

export function receivedEvent(entry: Entry, parsed: Parsed, privacy: Privacy): TimelineEvent {
  const view = entryView(entry, privacy, parsed);
  const { seq, topic, state, operator, sender, answer } = view;
  return {
    at: view.receivedAt,
    kind: kindOf(view),
    seq,
    topic,
    ...repeated(view, entry.suspectOf),
    state,
    operator,
    sender,
    answer: answer === null ? null : { isSuccess: answer.isSuccess, result: answer.result, message: answer.message },
  };
}

function repeated({ text, phrase: own }: EntryView, number: number | null) {
  const suspected = (what: PhraseValue) => phrase("timeline.repeat", { what, number: String(number) });
  if (number === null) return { text, phrase: own };
  return { text: sayPhrase(suspected(text)), phrase: own === null ? null : suspected(own) };
}

const events = new Set<string>(operationIds.filter((id) => operationRow(id).kind === "event"));

function kindOf({ direction, topic }: EntryView): "call" | "push" | "message" {
  if (direction === "in") return "push";
  return events.has(topic) ? "call" : "message";
}

/** The event with the wanted, shown, picked and offered amounts of each line of a changed order. */
export function stood(entry: Entry, lines: readonly StepLine[] | undefined): TimelineEvent[] {
  if (lines === undefined || lines.length === 0) return [];
  const amounts = lines.map(({ line, wanted, shown, picked, offered: asked }) =>
    phrase("timeline.amounts", {
      ...{ line, wanted: wanted ?? "–", shown: shown ?? "–", picked, offered: asked ?? "–" },
    }),
  );
  const what = phrase("list", { parts: { list: amounts, joinedBy: "; " } });
  return [{ ...plainEvent, at: isoTime(entry.receivedAt), kind: "amounts", seq: entry.seq, ...textOf(what) }];
}

export function offered(entry: Entry, content: EntryContent, answer: AnswerView | null): TimelineEvent[] {
  const lines = offeredLines(content.value, answer?.data);
  if (lines.length === 0) return [];
  const asked = phrase("timeline.offer", { lines: { list: lines.map(linePhrase), joinedBy: ", " } });
  const at = isoTime(entry.answeredAt ?? entry.receivedAt);
  return [{ ...plainEvent, at, kind: "offer", seq: entry.seq, ...textOf(asked) }];
}

function linePhrase(line: UpdatedLine): Phrase {
  const name = `${line.externalIdentifier || line.itemNumber || line.requestId}`;
  const lot = line.externalIdentifier || !line.lotNumber ? "" : phrase("timeline.lot", { lot: line.lotNumber });
  return line.isCancelled
    ? phrase("timeline.cancelled", { line: name, lot })
    : phrase("timeline.reduced", { line: name, lot, amount: `${line.requestedAmount}` });
}

export async function tried(
  read: JournalReader,
  { seq, target, body }: Entry,
  { showPersonal }: Privacy,
  eventsSent: boolean,
): Promise<TimelineEvent[]> {
  if (target === null) return [];
  const exchanges = eventsSent ? read.exchanges(seq) : null;
  const shown = showPersonal ? (text: string) => text : await maskingFor(body);
  return read.attempts(seq).map(({ n, startedAt, endedAt, outcome, status, error }) => {
    const sent = exchanges?.get(n)?.at(-1);
    const what = sent === undefined ? "" : phrase("brackets", { text: sent.to ? shown(cut(sent.to)) : unsent(sent) });
    const why = error === undefined ? "" : phrase("timeline.why", { text: recognise(shown(error)) ?? shown(error) });
    const attempt = phrase("timeline.attempt", {
      ...{ number: n, target, outcome: phraseOr(`state.${outcome}`, outcome), what, why },
      answered: status === undefined ? "" : phrase("timeline.answered", { status: String(status) }),
      ms: endedAt - startedAt,
      steps: stepsPhrase(exchanges?.get(n) ?? []),
    });
    return { ...plainEvent, at: isoTime(endedAt), kind: "attempt", seq, ...textOf(attempt) };
  });
}

const unsent = ({ skipped = "" }: Exchange): Phrase => phrase("timeline.nothingSent", { why: skipped });

/** What each step of an attempt did, if there were several. */
function stepsPhrase(exchanges: readonly Exchange[]): PhraseValue {
  const steps = exchanges.flatMap(({ step, ...rest }) => (step === undefined ? [] : [{ step, ...rest }]));
  if (steps.length < 2) return "";
  const shown = steps.map(({ step, skipped, answer }) => {
    if (skipped !== undefined) return phrase("timeline.skipped", { step, why: skipped });
    if (answer === undefined) return phrase("timeline.notAnswered", { step });
    const { status } = answer;
    return status === undefined
      ? phrase("timeline.stepAnswered", { step })
      : phrase("plain", { text: `${step} ${status}` });
  });
  return phrase("timeline.steps", { steps: { list: shown, joinedBy: ", " } });
}

export function decided(read: JournalReader, { seq, target }: Entry): TimelineEvent[] {
  if (target === null) return [];
  return read.audit(seq).map(({ at, operator, action, reason }) => ({
    ...plainEvent,
    at: isoTime(at),
    kind: "action",
    seq,
    ...textOf(
      phrase("timeline.action", {
        ...{ action: phraseOr(`action.${action}`, action), operator },
        reason: reason === null ? "" : phrase("timeline.why", { text: reason }),
      }),
    ),
    operator,
  }));
}

export function held(entry: Entry, holder: Entry | null): TimelineEvent[] {
  if (holder === null) return [];
  const { reason, state, topic } = holder;
  const why =
    state === "dead"
      ? phrase("timeline.dead", {
          reason: reason === null ? phrase("timeline.noReason") : phraseOr(`reason.${reason}`, reason),
        })
      : phraseOr(`state.${state}`, state);
  const waits = phrase("timeline.held", { number: String(holder.seq), topic, why });
  return [{ ...plainEvent, at: isoTime(entry.receivedAt), kind: "held", seq: entry.seq, ...textOf(waits) }];
}

type Model = Pick<UpdateWorkOrderRequest, "itemRequests"> | null | undefined;

/** The lines that the answer to a step changed, compared with the order the step carried. */
function offeredLines(input: unknown, answer: unknown): readonly UpdatedLine[] {
  const given = modelIn(answer)?.itemRequests ?? [];
  const brought = modelIn(input)?.itemRequests ?? [];
  // The answer repeats the whole order with only the affected lines changed, so positions correspond.
  return given.filter((line, index) => {
    const before = brought[index];
    return line.isCancelled !== before?.isCancelled || line.requestedAmount !== before?.requestedAmount;
  });
}

function modelIn(value: unknown): Model {
  if (typeof value !== "object" || value === null) return null;
  // The value was checked against the contract when it was received, or the adapter created it.
  return (value as { updateWorkOrderRequest?: Model }).updateWorkOrderRequest;
}
