import type { QueryId } from "../contract/operations.ts";
import type { Engine } from "../engine/engine.ts";
import type { Language } from "../messages/languages.ts";
import { ReadyJsonList } from "../operation/outcome.ts";
import type { InputReader } from "../server/contract/read-input.ts";

/**
 * A megabyte of short rows can produce a thousand times as much text. Above this length, the answer is streamed
 * instead.
 */
const maxTextLength = 16 * 2 ** 20;

/**
 * Answers one part of a list as JSON elements separated by commas. Returns null for anything but plain success: the
 * whole body is then read again, so that errors name the right place.
 */
export async function answerPart(
  { reader, engine }: { readonly reader: InputReader; readonly engine: Pick<Engine, "query"> },
  part: { readonly id: QueryId; readonly bytes: Uint8Array; readonly language: Language },
): Promise<string | null> {
  const reading = reader.fromBody(part.id, part.bytes);
  if ("problems" in reading) return null;
  try {
    const outcome = await engine.query(part.id, reading.input, part.language);
    const isPlain = outcome.ok && outcome.message === undefined && outcome.facts === undefined;
    return isPlain && outcome.data instanceof ReadyJsonList ? joinedParts(outcome.data.pieces) : null;
  } catch {
    return null;
  }
}

function joinedParts(pieces: ReadyJsonList["pieces"]): string | null {
  let text = "";
  for (const piece of pieces) {
    if (typeof piece !== "string" || text.length > maxTextLength) return null;
    text += text === "" ? piece : `,${piece}`;
  }
  // Elements that produce no output cannot be joined with commas.
  return text === "" ? null : text;
}
