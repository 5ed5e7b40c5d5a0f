import { setImmediate as nextTurn } from "node:timers/promises";
import { pathWritten } from "../member-path.ts";

/** The steps from the outermost value to a member. */
export type Place = readonly (string | number)[];

export interface MembersTwice {
  /** Where a name comes again in its object, in the order of the text. */
  readonly places: readonly Place[];
  /** Whether these are all. */
  readonly isComplete: boolean;
}

/** More are not listed: the memory they take is bounded, and where so much is wrong, nothing is right. */
const mostPlaces = 1_000;
/** Beyond these limits the search ends: the names of all open objects are kept in memory. */
const mostNames = 50_000;
const longestName = 16 * 1024;

/** Searching this much takes a few milliseconds. */
const defaultPieceBytes = 64 * 1024;

interface Open {
  /** The names so far; null in a list. */
  readonly names: Set<string> | null;
  /** The name or the index of the current member. */
  step: string | number;
}

/**
 * Finds the members that are given twice in one object, exactly or by escapes. For JSON in which there are some: it takes
 * longer than parsing.
 */
export function membersTwice(bytes: Buffer, maxDepth: number): MembersTwice {
  const turns = searching(bytes, { maxDepth, pieceBytes: Number.POSITIVE_INFINITY });
  for (let turn = turns.next(); ; turn = turns.next()) if (turn.done === true) return turn.value;
}

/** Does the same in long JSON. Other work of this thread runs between two pieces. */
export async function membersTwiceInTurns(
  bytes: Buffer,
  { maxDepth, pieceBytes = defaultPieceBytes }: { readonly maxDepth: number; readonly pieceBytes?: number },
): Promise<MembersTwice> {
  const turns = searching(bytes, { maxDepth, pieceBytes });
  for (let turn = turns.next(); ; turn = turns.next()) {
    if (turn.done === true) return turn.value;
    await nextTurn();
  }
}

function* searching(
  bytes: Buffer,
  { maxDepth, pieceBytes }: { readonly maxDepth: number; readonly pieceBytes: number },
): Generator<undefined, MembersTwice> {
  const places: Place[] = [];
  const open: Open[] = [];
  let isNameNext = false;
  let turnAt = pieceBytes;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    const top = open.at(-1);
    if (byte === 0x22) {
      const start = at + 1;
      for (at = start; at < bytes.length && bytes[at] !== 0x22; at += bytes[at] === 0x5c ? 2 : 1) {
        if (at < turnAt) continue;
        turnAt = at + pieceBytes;
        yield;
      }
      if (!isNameNext || top === undefined || top.names === null) continue;
      isNameNext = false;
      if (at - start > longestName || top.names.size >= mostNames) return { places, isComplete: false };
      const name = nameIn(bytes.toString("utf8", start, at));
      top.step = name;
      if (top.names.has(name)) {
        if (places.length >= mostPlaces) return { places, isComplete: false };
        places.push(open.map(({ step }) => step));
      } else top.names.add(name);
    } else if (byte === 0x7b || byte === 0x5b) {
      if (open.length >= maxDepth) return { places, isComplete: false };
      isNameNext = byte === 0x7b;
      open.push(isNameNext ? { names: new Set(), step: "" } : { names: null, step: 0 });
    } else if (byte === 0x7d || byte === 0x5d) {
      open.pop();
      isNameNext = false;
    } else if (byte === 0x2c && top !== undefined) {
      isNameNext = top.names !== null;
      if (typeof top.step === "number") top.step++;
    }
    if (at < turnAt) continue;
    turnAt = at + pieceBytes;
    yield;
  }
  return { places, isComplete: true };
}

function nameIn(text: string): string {
  if (!text.includes("\\")) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    // Not a valid escape: the parser reports it.
    return text;
  }
}

const longestWritten = 200;

/** The place as a person writes it, shortened and in whole characters. */
export function placeWritten(place: Place): string {
  const text = pathWritten(place);
  return (text.length > longestWritten ? `${text.slice(0, longestWritten)}…` : text).toWellFormed();
}
