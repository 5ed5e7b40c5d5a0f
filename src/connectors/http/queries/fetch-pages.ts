import { createHash } from "node:crypto";
import { AmbiguousRecord, contentOf, withAmbiguousRecords } from "../../../http-client/answers/ambiguous-records.ts";
import { judgedAnswer } from "../../../http-client/answers/answer-condition.ts";
import type { AnswerRules } from "../../../http-client/answers/answer-rules.ts";
import { externalText } from "../../../http-client/answers/judge-answer.ts";
import { type ReadAnswer, readLongAnswer } from "../../../http-client/answers/read-answer.ts";
import type { Answer } from "../../../http-client/answers/read-body.ts";
import type { Scope } from "../../../http-client/answers/template.ts";
import type { Redact } from "../../../http-client/redact.ts";
import { hashInTurns } from "../../../kit/hash-in-turns.ts";
import { bytesInTurns } from "../../../kit/json/bytes-in-turns.ts";
import { writtenPieces } from "../../../kit/json/write-in-turns.ts";
import { say } from "../../../messages/message.ts";
import { Fault } from "../../../operation/fault.ts";
import type { HttpSettings } from "../options/options.ts";
import type { Caller, RequestPlan } from "../request-plan.ts";
import { firstPlace, isNext, nextPathOf, type Place, pageParameters } from "./next-page.ts";
import { inPortions, type PageOptions, type Portions, recordsOf, requireSuccess } from "./page-options.ts";

export interface PageFetch {
  readonly plan: RequestPlan;
  readonly page: PageOptions | undefined;
  readonly records: string | undefined;
  /** One more request per record. */
  readonly detail?: { readonly plan: RequestPlan; readonly records: string | undefined } | undefined;
  readonly rules: AnswerRules;
  readonly limits: HttpSettings["limits"];
  readonly call: Caller;
  readonly redact: Redact;
  readonly now: () => number;
  /** Whether an answer that is not a success means that there is no such record. */
  readonly isNone?: ((answer: Answer, json: unknown) => boolean) | undefined;
  /**
   * Whether a record with a member that is given twice is withheld by itself, as an `AmbiguousRecord`. Otherwise it makes
   * the whole answer unreadable.
   */
  readonly withholds?: boolean;
}

/** Single empty pages can occur. After more than this many in a row, the list counts as endless and fails. */
const maxEmptyPages = 20;

/**
 * Reads a list page by page. Each page is handed over, a few records at a time, before the next request, so that no
 * list has to fit into memory.
 */
export async function* fetchPages(
  fetch: PageFetch,
  scope: Scope,
  signal: AbortSignal,
  extra: Readonly<Record<string, string>> = {},
): AsyncGenerator<readonly unknown[]> {
  const { page, limits } = fetch;
  const seen = new Set<string>();
  const place = firstPlace(page);
  let emptyPages = 0;
  let firstLength = 0;
  // A separate function, so that the answer's bytes and text can be garbage-collected while its records are processed.
  const turn = async (number: number): Promise<{ portions: Portions; hasNext: boolean }> => {
    if (number > limits.maxPages)
      throw endless(`more than ${limits.maxPages} pages; narrow the request or raise limits.maxPages`);
    const { json, answer, url, records } = await fetchPage(fetch, scope, signal, { place, extra });
    const count = records.length;
    place.offset += count;
    if (place.offset > limits.maxRecords)
      throw endless(`more than ${limits.maxRecords} records; narrow the request or raise limits.maxRecords`);
    const portions = async () => inPortions(await withDetails(fetch, records, scope, signal));
    if (page === undefined) return { portions: await portions(), hasNext: false };
    // Checked before the page is handed over: otherwise a repeated page would be processed twice.
    if (count > 0) rejectRepeated(seen, await digestOf(records), number, page);
    emptyPages = count === 0 ? emptyPages + 1 : 0;
    if (emptyPages > maxEmptyPages) throw endless(`${emptyPages} empty pages in a row without an end`);
    if (number === 1) firstLength = count;
    const hasNext = isNext({ page, place, json, answer, url, count, firstLength });
    return { portions: await portions(), hasNext };
  };
  for (let number = 1; ; number++) {
    const { portions, hasNext } = await turn(number);
    yield* portions;
    if (page === undefined || !hasNext) return;
    if (place.cursor !== undefined || place.url !== undefined)
      rejectRepeated(seen, `at ${place.cursor ?? place.url?.href}`, number + 1, page);
  }
}

export interface FetchedPage {
  readonly url: URL;
  readonly answer: Answer;
  readonly json: unknown;
  readonly records: readonly unknown[];
  /** Whether the answer means that there is no such record; then its JSON has no records. */
  readonly isNone?: true;
  /** The external system's text when there is no such record. */
  readonly words?: string | undefined;
}

/** One request of a list, or the only one. */
export async function fetchPage(
  fetch: PageFetch,
  scope: Scope,
  signal: AbortSignal,
  given: PageRequest = {},
): Promise<FetchedPage> {
  const { plan, page, rules, call, redact, now, isNone } = fetch;
  const place = given.place ?? firstPlace(page);
  const placed = { ...scope, page: place.page, offset: place.offset, cursor: place.cursor, limit: page?.size };
  const request = plan.fill(placed, { ...given.extra, ...pageParameters(page, place) });
  const url = place.url ?? request.url;
  const where = `${request.method} ${redact(decodedUrl(url))}`;
  const answer = await call({
    ...{ ...request, url, signal, isRepeatable: true },
    isLoginExpired: rules.isLoginExpired,
  }).catch(named(where));
  const read = await readRecords(fetch, answer, fetch);
  const { json } = read;
  // Some systems answer "not found" beyond the last page.
  const isBeyond = place.offset > 0 && answer.status === 404;
  if (isBeyond || isNone?.(answer, json)) {
    const words = await externalText(rules, judgedAnswer(answer, read), redact);
    return { url, answer, json, records: [], isNone: true, words };
  }
  try {
    await requireSuccess({ answer, read, rules, redact, now: now() });
    return { url, answer, json, records: recordsOf(json, fetch.records) };
  } catch (error) {
    return named(where)(error);
  }
}

async function readRecords(
  { withholds = false, rules, redact, now }: PageFetch,
  answer: Answer,
  { records, page, isNone }: Pick<PageFetch, "records"> & Partial<Pick<PageFetch, "page" | "isNone">>,
): Promise<ReadAnswer> {
  const read = await readLongAnswer(answer);
  if (!withholds) return read;
  const others = page === undefined ? [] : [nextPathOf(page), ...[page.total ?? []].flat()];
  const isSuccess = (given: ReadAnswer) =>
    requireSuccess({ answer, read: given, rules, redact, now: now() }).then(
      () => true,
      () => false,
    );
  const hasRecords = async (given: ReadAnswer) => isNone?.(answer, given.json) !== true && (await isSuccess(given));
  return await withAmbiguousRecords(answer, read, { records, others, hasRecords });
}

/** Throws the same fault, with the request in its text. */
const named =
  (where: string) =>
  (error: unknown): never => {
    if (!(error instanceof Fault)) throw error;
    const { kind, message, operatorText, answer } = error;
    const optionalText = operatorText === undefined ? {} : { operatorText };
    throw new Fault(kind, `${where}: ${message}`, { ...optionalText, answer, cause: error.cause ?? error });
  };

function decodedUrl({ href }: URL): string {
  try {
    return decodeURI(href);
  } catch {
    return href;
  }
}

interface PageRequest {
  readonly place?: Place;
  readonly extra?: Readonly<Record<string, string>> | undefined;
}

function rejectRepeated(seen: Set<string>, mark: string, number: number, { by, param }: PageOptions): void {
  if (!seen.has(mark)) {
    seen.add(mark);
    return;
  }
  const hint =
    by === "page" || by === "offset" ? `; check that the system supports the parameter ${param ?? `{${by}}`}` : "";
  throw endless(`page ${number} repeats an earlier page${hint}`);
}

/**
 * Recognises a page that comes twice by its first record, its last record and their count. In turns, because a record
 * may be an order of ten thousand lines.
 */
async function digestOf(records: readonly unknown[]): Promise<string> {
  const digest = createHash("sha1").update(String(records.length));
  for (const record of new Set([records[0], records.at(-1)])) {
    const content = contentOf(record);
    const text = await bytesInTurns(writtenPieces(content) ?? [JSON.stringify(content) ?? ""]);
    await hashInTurns([digest.update(`,${text.length},`)], text);
  }
  return digest.digest("base64");
}

const endless = (reason: string): Fault =>
  new Fault("rejected", `the list does not end: ${reason}`, { operatorText: say("http.endless") });

/** Parallel requests: enough to hide the latency, few enough not to overload the system. */
const atOnce = 8;

/** The records, each replaced by its details. A record that no longer exists is left out. */
export async function withDetails(
  fetch: PageFetch,
  records: readonly unknown[],
  scope: Scope,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const { detail, call, rules, redact, now } = fetch;
  if (detail === undefined) return records;
  const detailed: unknown[][] = records.map(() => []);
  let next = 0;
  const worker = async () => {
    while (next < records.length) {
      const index = next++;
      const record = records[index];
      if (record instanceof AmbiguousRecord) {
        detailed[index] = [record];
        continue;
      }
      const request = detail.plan.fill({ ...scope, record });
      const answer = await call({ ...request, signal, isRepeatable: true, isLoginExpired: rules.isLoginExpired });
      if (answer.status === 404) continue;
      const read = await readRecords(fetch, answer, detail);
      await requireSuccess({ answer, read, rules, redact, now: now() });
      detailed[index] = [...recordsOf(read.json, detail.records)];
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, records.length) }, worker));
  return detailed.flat();
}
