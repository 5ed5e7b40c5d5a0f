import { parseExactJson } from "../../kit/json/exact-number.ts";
import { isDeeperThan } from "../../kit/json/scan-json.ts";
import { imageKind } from "../../operation/outcome.ts";
import type { Answer } from "./read-body.ts";

/** What an answer says, as far as it can be read. */
export interface ReadAnswer {
  readonly mediaType: string;
  readonly isEmpty: boolean;
  /** Undefined where it is no JSON. */
  readonly json: unknown;
  /** Words for the log; empty where the bytes are no text. */
  readonly text: string;
  /** Why nothing of it can be believed. */
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
  // Cut anywhere, also within a letter: only good enough to be shown.
  if (unread === "too-long") {
    const limit = `${Math.round(maxAnswerBytes / 1024 / 1024)} MiB`;
    return { ...nothing, text: body.toString("utf8", 0, 4096), flaw: `it is longer than ${limit}` };
  }
  // Bytes of an image are no text and no flaw; whoever wanted JSON sees that there is none.
  if (imageKind(body) !== null) return { ...nothing, flaw: null };
  const text = textOf(body, charset);
  if (text === null) return { ...nothing, flaw: `it is no text in ${charset}` };
  const isJson = mediaType === "application/json" || mediaType.endsWith("+json");
  const isEmpty = text.trim() === "";
  if (!isJson || isEmpty) return { ...nothing, isEmpty, text, flaw: null };
  const bytes = charset === "utf-8" ? body : Buffer.from(text);
  // Of members given twice the last counts here: what an external system says is read by us alone.
  if (isDeeperThan(bytes, maxDepth)) return { ...nothing, text, flaw: "its JSON is nested too deep" };
  try {
    return { ...nothing, json: parseExactJson(text), text, flaw: null };
  } catch {
    return { ...nothing, text, flaw: "it is no complete JSON" };
  }
}

/** Exactly what was sent, or nothing: a text with wrong letters could name the wrong order. */
function textOf(body: Buffer, charset: string): string | null {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body);
  } catch {
    return null;
  }
}
