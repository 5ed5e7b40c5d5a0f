import { setImmediate as nextTurn } from "node:timers/promises";
import { type Static, Type } from "typebox";
import { AmbiguousRecord, contentOf } from "../../../http-client/answers/ambiguous-records.ts";
import { anyMatches, judgedAnswer } from "../../../http-client/answers/answer-condition.ts";
import type { AnswerRules } from "../../../http-client/answers/answer-rules.ts";
import { externalText, loginExpired, retryAfterMs, unmetReason } from "../../../http-client/answers/judge-answer.ts";
import type { ReadAnswer } from "../../../http-client/answers/read-answer.ts";
import type { Answer } from "../../../http-client/answers/read-body.ts";
import { memberAt } from "../../../http-client/answers/template.ts";
import type { Redact } from "../../../http-client/redact.ts";
import { bytesInTurns } from "../../../kit/json/bytes-in-turns.ts";
import { parseStored } from "../../../kit/json/parse-in-turns.ts";
import { writingCost, writtenPieces } from "../../../kit/json/write-in-turns.ts";
import { TextArena } from "../../../kit/text-arena.ts";
import { say } from "../../../messages/message.ts";
import { Fault } from "../../../operation/fault.ts";

interface RecordReading {
  readonly answer: Answer;
  readonly read: ReadAnswer;
  readonly rules: AnswerRules;
  readonly redact: Redact;
  readonly now: number;
}

/**
 * Throws a Fault if the answer to a query is unusable: an error of the system, a refusal, or invalid data. "Try later"
 * and an expired login count as failures of the system, so that fallback data can be used.
 */
export async function requireSuccess({ answer, read, rules, redact, now }: RecordReading): Promise<void> {
  const success = { ...rules.success, allowEmpty: false };
  const judged = judgedAnswer(answer, read);
  const { status } = answer;
  const isExpired = await anyMatches(rules.loginExpired, judged);
  const isLater = isExpired || (await anyMatches(rules.tryLater, judged));
  const isRefused =
    !isLater &&
    (await anyMatches(
      rules.refusals.map(({ matches }) => matches),
      judged,
    ));
  const unmet = isExpired
    ? loginExpired
    : isLater
      ? "it says: try later"
      : isRefused
        ? "it is a refusal"
        : await unmetReason(judged, read, success);
  if (unmet === null) return;
  const isTrouble = isLater || (!isRefused && (status >= 500 || rules.targetTrouble.includes(status)));
  const isRefusal = isRefused || status >= 300 || isContentJudged(success);
  const waitMs = retryAfterMs(answer.headers["retry-after"], now);
  throw new Fault(
    isTrouble ? "unreachable" : "rejected",
    redact(`the answer is not a success: ${unmet}; its text: ${redact(read.text)}`),
    {
      ...(isTrouble
        ? {}
        : {
            operatorText:
              (await externalText(rules, judged, redact)) ?? say(isRefusal ? "http.refused" : "http.unreadable"),
          }),
      answer: { status, text: redact(read.text), ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) },
    },
  );
}

const isContentJudged = ({ absent, jsonPath, isMet }: AnswerRules["success"]): boolean =>
  absent !== undefined || jsonPath !== undefined || isMet !== undefined;

/** The records of an answer. A single object counts as a list of one, an empty answer as an empty list. */
export function recordsOf(json: unknown, path: string | undefined): readonly unknown[] {
  const found = path === undefined ? json : memberAt(json, path);
  if (Array.isArray(found)) return found;
  if (found === undefined && path !== undefined && !isEmptyJson(json)) {
    throw new Fault("rejected", `the answer has no ${path}; check \`records\``, {
      operatorText: say("http.unreadable"),
    });
  }
  if (found === undefined || found === null) return [];
  if (typeof found === "object") return Object.keys(found).length === 0 ? [] : [found];
  throw new Fault(
    "rejected",
    `${path ?? "the answer"} is not a list of records but ${JSON.stringify(found).slice(0, 60)}`,
    {
      operatorText: say("http.unreadable"),
    },
  );
}

const isEmptyJson = (json: unknown): boolean =>
  json === null || json === undefined || (typeof json === "object" && Object.keys(json).length === 0);

/** Measured: with 250 the same poll held 80 to 120 MB more; with 25 it held no less and was slower. */
const atOnce = 50;
/** Writing or parsing this much takes some milliseconds. A longer record comes alone. */
const bytesAtOnce = 512 * 1024;
/** Pages up to this size stay objects. */
const fewRecords = 100;

export type Portions = Iterable<readonly unknown[]> | AsyncIterable<readonly unknown[]>;

/**
 * Returns the records of a page a few at a time. Records of a long page are kept as bytes until they are needed: as
 * objects they would stay in memory while earlier records are processed, and memory use would grow with the page size.
 */
export async function inPortions(records: readonly unknown[]): Promise<Portions> {
  if (records.length === 0) return [];
  if (records.length <= fewRecords) return objectsOf(records);
  const texts = new TextArena();
  const ambiguous = new Map<number, AmbiguousRecord>();
  let written = 0;
  let bytes = 0;
  for (const record of records) {
    if (record instanceof AmbiguousRecord) {
      ambiguous.set(texts.add("null"), record);
      continue;
    }
    // Each record came from JSON, so it can be written as JSON and parsed again.
    const pieces = writtenPieces(record);
    const index = pieces === null ? texts.add(JSON.stringify(record)) : texts.addBytes(await bytesInTurns(pieces));
    bytes += texts.lengthAt(index);
    if (++written < atOnce && bytes < bytesAtOnce) continue;
    // Without the pause, a long page would block every other request.
    await nextTurn();
    written = 0;
    bytes = 0;
  }
  return portionsOf(texts, ambiguous);
}

/** A few records may still be long ones. */
async function* objectsOf(records: readonly unknown[]): AsyncGenerator<readonly unknown[]> {
  let portion: unknown[] = [];
  let cost = 0;
  for (const record of records) {
    const own = writingCost(contentOf(record), bytesAtOnce);
    if (portion.length > 0 && cost + own > bytesAtOnce) {
      yield portion;
      await nextTurn();
      portion = [];
      cost = 0;
    }
    portion.push(record);
    cost += own;
  }
  yield portion;
}

async function* portionsOf(
  texts: TextArena,
  ambiguous: ReadonlyMap<number, AmbiguousRecord>,
): AsyncGenerator<readonly unknown[]> {
  const lengthAt = (index: number) => {
    const record = ambiguous.get(index);
    return record === undefined ? texts.lengthAt(index) : writingCost(record.value, bytesAtOnce);
  };
  try {
    for (let index = 0; index < texts.length; ) {
      const portion: unknown[] = [];
      let bytes = 0;
      do {
        bytes += lengthAt(index);
        portion.push(ambiguous.get(index) ?? (await parseStored(texts.bytesAt(index))));
        index++;
      } while (index < texts.length && portion.length < atOnce && bytes + lengthAt(index) <= bytesAtOnce);
      yield portion;
      await nextTurn();
    }
  } finally {
    texts.free();
  }
}

/** The URL that a `Link` header (RFC 8288) names as the next page. */
export function nextLink(header: string | readonly string[] | undefined, base: URL): URL | undefined {
  const text = [header ?? []].flat().join(", ");
  for (const [, address = "", parameters = ""] of text.matchAll(
    /<([^>]*)>((?:\s*;\s*[^",;\s=]+\s*(?:=\s*(?:"[^"]*"|[^",;\s]*))?)*)/g,
  )) {
    const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^",;\s]*))/i.exec(parameters);
    const relations = (relation?.[1] ?? relation?.[2] ?? "").toLowerCase().split(/\s+/);
    if (relations.includes("next") && URL.canParse(address, base.href)) return new URL(address, base);
  }
  return undefined;
}

export const pageOptions = Type.Object(
  {
    by: Type.Unsafe<"page" | "offset" | "cursor" | "link" | "next">({
      type: "string",
      enum: ["page", "offset", "cursor", "link", "next"],
      description:
        "How the next page is requested: by page number, by offset, by a cursor in the answer, by the header " +
        "`Link`, or by a URL in the answer (OData).",
    }),
    param: Type.Optional(
      Type.String({
        description:
          "Query parameter for page number, offset or cursor; not needed if the request contains `{page}`, `{offset}` or `{cursor}`.",
        minLength: 1,
      }),
    ),
    start: Type.Optional(Type.Integer({ description: "Number of the first page; default: 1.", minimum: 0 })),
    size: Type.Optional(
      Type.Integer({ description: "Page size; also available as `{limit}`.", minimum: 1, maximum: 100_000 }),
    ),
    sizeParam: Type.Optional(Type.String({ description: "Query parameter for the size.", minLength: 1 })),
    path: Type.Optional(
      Type.String({
        description: "Path of the cursor or URL in the answer, such as `meta.next` or `@odata.nextLink`.",
        minLength: 1,
      }),
    ),
    total: Type.Optional(
      Type.String({ description: "Path of the total number of records in the answer.", minLength: 1 }),
    ),
  },
  {
    additionalProperties: false,
    description: "How long lists are read page by page; default: one answer has all records.",
  },
);
export type PageOptions = Static<typeof pageOptions>;
