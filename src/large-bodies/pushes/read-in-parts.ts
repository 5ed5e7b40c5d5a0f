import { limits } from "../../contract/limits.ts";
import { type ForwardModes, forwarded } from "../../engine/forward/forwarded.ts";
import type { StagedPart } from "../../engine/intake/accept.ts";
import { mostInCommit, numbersOf, type PushedEntry } from "../../engine/intake/read-push.ts";
import type { NewEntry } from "../../journal/entry.ts";
import { packEntries } from "../../journal/packed-entry.ts";
import { tooMany } from "../../server/inbound/inbound-reader.ts";
import {
  type InboundReading,
  type InboundSummary,
  problemsOf,
  type RefusedElement,
  type Unreadable,
} from "../../server/inbound/inbound-reading.ts";
import type { InboundRoute } from "../../server/inbound/inbound-route.ts";

/** The result of reading a push: everything at once if it is short; otherwise parts, and a summary at the end. */
export type PushStep =
  | { readonly whole: InboundReading }
  | { readonly part: StagedPart }
  | { readonly end: InboundSummary | Unreadable };

/** The longest push that is stored in one commit. With a longer one, events of the floor would wait too long. */
const mostCharactersAtOnce = 250_000;
/** One chunk becomes entries in one commit, which takes a few milliseconds. */
const mostInChunk = { entries: 64, characters: 16_000 };
/** The most elements that are checked in one step, for a push with errors. */
const mostInStep = 5_000;
/** The most bad elements that are reported if nothing of the push is stored. */
const mostRefused = 1_000;
/** The most problems that are reported: handing over more would stall the main thread, and no answer shows more. */
const mostProblems = 1_000;

/** Reads a push piece by piece. After an error it reads on only to report all errors. */
export async function* readInParts(
  route: Pick<InboundRoute, "readInPieces" | "isPartial">,
  body: Uint8Array,
  stamp: {
    readonly sender: string;
    readonly trace?: string | undefined;
    readonly receivedAt: number;
    readonly newEntryId: () => string;
    modes: ForwardModes;
  },
): AsyncGenerator<PushStep> {
  const refused: RefusedElement[] = [];
  let held: PushedEntry[] = [];
  let heldCharacters = 0;
  let found = { problemCount: 0, count: 0, isList: true, good: 0 };
  let isLong = false;
  let reported = 0;
  for await (const reading of route.readInPieces(body)) {
    if ("unreadable" in reading) {
      const first = { ...reading, unreadable: reading.unreadable.slice(0, mostProblems) };
      yield isLong ? { end: first } : { whole: first };
      return;
    }
    for (const one of reading.refused) {
      found.problemCount += problemsOf(one);
      if (!route.isPartial && refused.length >= mostRefused) continue;
      const problems = one.problems.slice(0, mostProblems - reported);
      reported += problems.length;
      refused.push({ ...one, problems });
    }
    if (refused.length > limits.badElementsPerPush) {
      const end = {
        unreadable: [tooMany("bad-elements", limits.badElementsPerPush)],
        problemCount: found.problemCount,
      };
      yield isLong ? { end } : { whole: end };
      return;
    }
    found = {
      ...found,
      count: found.count + reading.count,
      isList: reading.isList,
      good: found.good + reading.entries.length,
    };
    if (found.problemCount > 0 && !route.isPartial) {
      held = [];
      // A step has a time limit, and finding all errors of a million elements takes longer. So each piece is a step.
      isLong ||= found.count > mostInStep;
      if (isLong) yield { part: { count: 0, chunks: [] } };
      continue;
    }
    held.push(...reading.entries);
    for (const { body: text, payload } of reading.entries) heldCharacters += text.length + (payload?.length ?? 0);
    isLong ||= held.length > mostInCommit(held[0]?.topic ?? "") || heldCharacters > mostCharactersAtOnce;
    if (!isLong) continue;
    yield { part: chunksOf(held, stamp) };
    held = [];
  }
  const { count, isList, problemCount } = found;
  const counted = problemCount > reported ? { problemCount } : {};
  yield isLong ? { end: { ...found, refused } } : { whole: { entries: held, refused, count, isList, ...counted } };
}

function chunksOf(
  entries: readonly PushedEntry[],
  { sender, trace, receivedAt, newEntryId, modes }: Parameters<typeof readInParts>[2],
): StagedPart {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let chunk: NewEntry[] = [];
  let characters = 0;
  const close = () => {
    if (chunk.length > 0) chunks.push(packEntries(chunk));
    chunk = [];
    characters = 0;
  };
  for (const entry of entries) {
    const stamped = { ...forwarded(entry, modes), sender, receivedAt, id: newEntryId() };
    chunk.push(trace === undefined ? stamped : { ...stamped, trace });
    characters += entry.body.length + (entry.payload?.length ?? 0);
    if (chunk.length >= mostInChunk.entries || characters >= mostInChunk.characters) close();
  }
  close();
  const numbers = JSON.stringify(numbersOf(entries));
  return { count: entries.length, chunks, numbers, topic: entries[0]?.topic ?? "" };
}
