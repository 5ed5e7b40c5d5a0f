import { setImmediate as nextTurn } from "node:timers/promises";
import { maskBodyByName } from "./mask-by-name.ts";

/** This many characters are masked in a few milliseconds. */
const turnCharacters = 64 * 1024;
/**
 * A body may be cut where a member begins: of a value that was cut apart, the second part would be shown. In JSON that
 * is a text, quotes have a backslash, so that it is never cut.
 */
const memberStart = /,\s{0,20}"[^"\\]{1,64}"\s{0,20}:/g;

/** Masks like `maskBodyByName`. While a long body is masked, other requests run. */
export async function maskBodyInTurns(body: string): Promise<string> {
  const masked: string[] = [];
  for (let from = 0; from < body.length; ) {
    if (from > 0) await nextTurn();
    const to = endOfPiece(body, from);
    masked.push(maskBodyByName(body.slice(from, to)));
    from = to;
  }
  return masked.join("");
}

function endOfPiece(body: string, from: number): number {
  if (body.length - from <= turnCharacters) return body.length;
  memberStart.lastIndex = from + turnCharacters;
  return memberStart.exec(body)?.index ?? body.length;
}
