import { parseExactJson } from "../../kit/json/exact-number.ts";
import { isDeeperThan } from "../../kit/json/scan-json.ts";
import { imageKind } from "../../operation/outcome.ts";
import type { Answer } from "./read-body.ts";

/** The content of an answer, as far as it can be read. */
export interface ReadAnswer {
  readonly mediaType: string;
  readonly isEmpty: boolean;
  /** Undefined if it is not JSON. */
  readonly json: unknown;
  /** Text for the log; empty if the bytes are not text. */
  readonly text: string;
  /** Why the content cannot be used. */
  readonly flaw: string | null;
}

const maxDepth = 64;

export function readAnswer({ headers, body, unread, maxAnswerBytes }: Answer): ReadAnswer {
  const [type = "", ...parameters] = (headers["content-type"] ?? "").toLowerCase().split(";");
  const mediaType = type.trim();
  const nothing = { mediaType, isEmpty: false, json: undefined, text: "" };
  if (unread === "encoded") return { ...nothing, flaw: `it is encoded as ${headers["content-encoding"]}` };
  const charset =
    parameters.map((one) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(one)?.[1]).find(Boolean) ?? "utf-8";
  // May be cut within a character: only good enough for the log.
  if (unread === "too-long") {
    const limit = `${Math.round(maxAnswerBytes / 1024 / 1024)} MiB`;
    return { ...nothing, text: body.toString("utf8", 0, 4096), flaw: `it is longer than ${limit}` };
  }
  // The bytes of an image are neither text nor a flaw; a caller that needs JSON finds it missing.
  if (imageKind(body) !== null) return { ...nothing, flaw: null };
  const text = textOf(body, charset);
  if (text === null) return { ...nothing, flaw: `it is not valid ${charset}` };
  const isJson = mediaType === "application/json" || mediaType.endsWith("+json");
  const isEmpty = text.trim() === "";
  if (!isJson || isEmpty) return { ...nothing, isEmpty, text, flaw: null };
  const bytes = charset === "utf-8" ? body : Buffer.from(text);
  // Of duplicate members the last one counts: nobody else reads this answer.
  if (isDeeperThan(bytes, maxDepth)) return { ...nothing, text, flaw: "its JSON is nested too deep" };
  try {
    return { ...nothing, json: parseExactJson(text), text, flaw: null };
  } catch {
    return { ...nothing, text, flaw: "it is not complete JSON" };
  }
}

/** Exactly the text that was sent, or nothing: a text with wrong characters could name the wrong order. */
function textOf(body: Buffer, charset: string): string | null {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body);
  } catch {
    return null;
  }
}
