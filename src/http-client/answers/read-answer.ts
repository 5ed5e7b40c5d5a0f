import { isUtf8 } from "node:buffer";
import { setImmediate as nextTurn } from "node:timers/promises";
import { parseExactJson } from "../../kit/json/exact-number.ts";
import {
  type MembersTwice,
  membersTwice,
  membersTwiceInTurns,
  type Place,
  placeWritten,
} from "../../kit/json/parse/members-twice.ts";
import { MemberTwice, membersParsed, parseInTurns, TooDeep } from "../../kit/json/parse-in-turns.ts";
import { membersWritten } from "../../kit/json/scan-json.ts";
import { imageKind } from "../../operation/outcome.ts";
import type { Answer } from "./read-body.ts";

/** The content of an answer, as far as it can be read. */
export interface ReadAnswer {
  readonly mediaType: string;
  readonly isEmpty: boolean;
  /** Undefined if it is not JSON. */
  readonly json: unknown;
  /** The text for the log; only the beginning of a long answer. Empty if the bytes are not text. */
  readonly text: string;
  /** Why the content cannot be used. */
  readonly flaw: string | null;
  /** If the flaw is that members are given twice: where. Absent if there may be more than are known. */
  readonly twice?: readonly Place[];
}

export const maxDepth = 64;

/** Larger JSON is parsed in turns: at once, it would stall every other request. */
const largeBytes = 128 * 1024;

export function readAnswer(answer: Answer): ReadAnswer {
  const read = withoutJson(answer);
  if (read.bytes === null) return read.answer;
  const written = membersWritten(read.bytes, maxDepth);
  if (written === null) return { ...read.answer, flaw: tooDeep };
  try {
    const text = answer.body.length < largeBytes ? read.answer.text : new TextDecoder().decode(read.bytes);
    const json = parseExactJson(text);
    if (membersParsed(json) === written) return { ...read.answer, json };
    return refusedFor(read.answer, membersTwice(read.bytes, maxDepth));
  } catch {
    return { ...read.answer, flaw: notComplete };
  }
}

/**
 * Kept as long as the answer itself, so that a long list is parsed only once, even if it was first checked for an
 * expired login.
 */
const readBefore = new WeakMap<Answer, Promise<ReadAnswer>>();

/** Reads an answer that will be read again later. */
export function readOnce(answer: Answer): Promise<ReadAnswer> {
  const read = readBefore.get(answer) ?? readLongAnswer(answer);
  readBefore.set(answer, read);
  return read;
}

/** Like `readAnswer`, but lets other work of this thread run while a long answer is parsed. */
export async function readLongAnswer(answer: Answer): Promise<ReadAnswer> {
  const before = readBefore.get(answer);
  if (before !== undefined) return before;
  if (answer.body.length < largeBytes) return readAnswer(answer);
  // The last bytes were joined in this turn.
  await nextTurn();
  const read = withoutJson(answer);
  if (read.bytes === null) return read.answer;
  await nextTurn();
  try {
    return {
      ...read.answer,
      json: await parseInTurns(read.bytes, { parse: parseExactJson, maxDepth, refusesTwice: true }),
    };
  } catch (error) {
    if (error instanceof MemberTwice)
      return refusedFor(read.answer, await membersTwiceInTurns(read.bytes, { maxDepth }));
    return { ...read.answer, flaw: error instanceof TooDeep ? tooDeep : notComplete };
  }
}

const refusedFor = (read: ReadAnswer, { places, isComplete }: MembersTwice): ReadAnswer => ({
  ...read,
  flaw: twiceFlaw(places[0]),
  ...(isComplete && places.length > 0 ? { twice: places } : {}),
});

/** The bytes of the JSON in an answer that was read before, in UTF-8; null if there are none. */
export const jsonBytes = (answer: Answer): Buffer | null => withoutJson(answer).bytes;

const tooDeep = "its JSON is nested too deep";
const notComplete = "it is not complete JSON";
/** Why an answer with this member cannot be used. Names that differ only in their letter case are different members. */
export function twiceFlaw(place: Place | undefined): string {
  const member = place === undefined ? "a member" : `the member ${placeWritten(place)}`;
  return `${member} of its JSON is given twice, so it can be read in two ways`;
}

/** Returns everything but the JSON, and the JSON's bytes in UTF-8; null if there are none. */
function withoutJson({ headers, body, unread, maxAnswerBytes }: Answer): { answer: ReadAnswer; bytes: Buffer | null } {
  const [type = "", ...parameters] = (headers["content-type"] ?? "").toLowerCase().split(";");
  const mediaType = type.trim();
  const nothing = { mediaType, isEmpty: false, json: undefined, text: "", flaw: null };
  const only = (answer: ReadAnswer) => ({ answer, bytes: null });
  if (unread === "encoded") return only({ ...nothing, flaw: `it is encoded as ${headers["content-encoding"]}` });
  const charset =
    parameters.map((one) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(one)?.[1]).find(Boolean) ?? "utf-8";
  // The text may be cut inside a character, which is good enough for the log.
  if (unread === "too-long") {
    const limit = `${Math.round(maxAnswerBytes / 1024 / 1024)} MiB`;
    return only({ ...nothing, text: body.toString("utf8", 0, 4096), flaw: `it is longer than ${limit}` });
  }
  // An image is neither text nor an error. A caller that needs JSON finds it missing.
  if (imageKind(body) !== null) return only(nothing);
  const text = body.length >= largeBytes && charset === "utf-8" ? startOf(body) : textOf(body, charset);
  if (text === null) return only({ ...nothing, flaw: `it is not valid ${charset}` });
  const isJson = mediaType === "application/json" || mediaType.endsWith("+json");
  const isEmpty = text.trim() === "";
  if (!isJson || isEmpty) return only({ ...nothing, isEmpty, text });
  return { answer: { ...nothing, text }, bytes: charset === "utf-8" ? body : Buffer.from(text) };
}

/**
 * Decodes only the beginning of a long text, which is all the log needs: decoding everything would take as long as
 * parsing it.
 */
function startOf(body: Buffer): string | null {
  if (!isUtf8(body)) return null;
  const hasMark = body.subarray(0, byteOrderMark.length).equals(byteOrderMark);
  const start = body.toString("utf8", hasMark ? byteOrderMark.length : 0, startBytes);
  return start.trim() === "" ? textOf(body, "utf-8") : start.replace(/\uFFFD$/, "");
}

const startBytes = 32 * 1024;
const byteOrderMark = Buffer.from("\uFEFF");

/** Returns exactly the text that was sent, or null: a text with wrong characters could name the wrong order. */
function textOf(body: Buffer, charset: string): string | null {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body);
  } catch {
    return null;
  }
}
