import type { Operation } from "../../../contract/operation.ts";
import { operationRow, type QueryId } from "../../../contract/operations.ts";
import type { PushTopic } from "../../../contract/pushes.ts";
import { validator } from "../../../contract/validate/validator.ts";
import { AmbiguousRecord, contentOf } from "../../../http-client/answers/ambiguous-records.ts";
import { memberAt, type Scope } from "../../../http-client/answers/template.ts";
import { say } from "../../../messages/message.ts";
import { Fault } from "../../../operation/fault.ts";
import { scannedInput } from "../../../operation/normalise-work-order.ts";
import { type AnyOutcome, listOrParts, ok, type Refusal, refuse } from "../../../operation/outcome.ts";
import type { CallContext, OnRecord, Preview } from "../../../sdk/connector.ts";
import type { QueryOptions } from "../options/operation-options.ts";
import { mapRecords, type RecordMapper, recordMapper, servedSchema, type Workbench } from "../workbench.ts";
import { fetchPage, fetchPages, type PageFetch, withDetails } from "./fetch-pages.ts";
import { findScanned, hasCode, type Scan } from "./find-scanned.ts";
import { nextPathOf } from "./next-page.ts";
import { nextLink, type PageOptions } from "./page-options.ts";
import { imageReader } from "./read-image.ts";

export interface Query {
  readonly answer: (input: unknown, context: CallContext) => Promise<AnyOutcome>;
  /** How its records are fetched and mapped, for the preview. */
  readonly fetch: PageFetch;
  readonly mapper: RecordMapper;
}

/** A query of the platform, sent to the external system. */
export function openQuery(
  id: QueryId,
  options: QueryOptions,
  bench: Workbench,
  {
    isSearched = true,
  }: { /** Whether the request depends on what is asked for. */ readonly isSearched?: boolean } = {},
): Query {
  const row = operationRow(id);
  const served = servedSchema(row);
  const { map, where, lineKey } = options;
  const mapper = recordMapper({ map, where, lineKey, target: served.element, dates: bench.dates });
  // A scan has to know of every record whether it is the one.
  const withholds = served.isList && served.kind === "order";
  const fetch = { ...bench.fetch(options, noneRule(id, options)), withholds };
  const check = served.kind === "other" && row.data !== undefined ? validator(row.data) : undefined;

  const list = async (input: unknown, context: CallContext): Promise<AnyOutcome> => {
    const pages = fetchPages(fetch, bench.scope(input, context), context.signal);
    // Only orders are accepted one by one; any other list is checked here as a whole.
    const all = await listOrParts(
      mappedPages(mapper, pages),
      check === undefined ? undefined : Number.POSITIVE_INFINITY,
    );
    if (check !== undefined) return ok(checked(all));
    const code = memberAt(input, "code");
    const isUnknown = Array.isArray(all) && all.length === 0 && typeof code === "string";
    return isUnknown ? ok(all, { message: say("orders.put-wall-unknown", { code }) }) : ok(all);
  };

  const one = async (input: unknown, context: CallContext): Promise<AnyOutcome> => {
    const scope = bench.scope(input, context);
    const page = await fetchPage(fetch, scope, context.signal);
    const found = await withDetails(fetch, page.records, scope, context.signal);
    const made = await mapRecords(mapper, await mapper.filter(found));
    if (made.length === 0) return none(row, page.words ?? wordsForNone(id, input));
    // The input of this operation, already checked by the server.
    if (id === "findWorkOrderByCode") return scanned(made, input as Scan);
    return ok(check === undefined ? made[0] : checked(made[0]));
  };

  const scanned = (orders: readonly unknown[], scan: Scan): AnyOutcome => {
    const found = findScanned(orders, scan, { isSearched });
    return "ok" in found ? found : ok(found.order);
  };

  /** Looks for the scanned order in a list of all orders, on every page. */
  const oneOfAll = async (input: unknown, context: CallContext): Promise<AnyOutcome> => {
    // As above.
    const scan = input as Scan;
    const alike: unknown[] = [];
    for await (const orders of mappedPages(mapper, fetchPages(fetch, bench.scope(input, context), context.signal)))
      alike.push(...orders.filter((order) => hasCode(order, scan)));
    return scanned(alike, scan);
  };

  const checked = (value: unknown): unknown => {
    const data = check?.canonical(value);
    if (check === undefined || check.isValid(data)) return data;
    const [first] = check.problems(data);
    const reason = `${first?.field || "it"}: ${first?.found ?? first?.expected ?? "not valid"}`;
    throw new Fault("rejected", `the answer does not fit the contract: ${reason}`, {
      operatorText: say("http.unreadable"),
    });
  };

  const image = id === "getItemImage" ? imageReader(options, noneRule(id, options), bench) : undefined;
  const picture = async (input: unknown, context: CallContext): Promise<AnyOutcome> => {
    const found = await image?.(bench.scope(input, context), context.signal);
    return found === undefined || "none" in found ? none(row, found?.none) : ok(found.base64);
  };

  const answer = image !== undefined ? picture : served.isList ? list : isSearched ? one : oneOfAll;
  return { answer: (input, context) => answer(scannedInput(id, input), context), fetch, mapper };
}

async function* mappedPages(mapper: RecordMapper, pages: AsyncIterable<readonly unknown[]>) {
  for await (const records of pages) yield await mapRecords(mapper, await mapper.filter(records));
}

const wordsForNone = (id: QueryId, input: unknown) =>
  // The input of this operation, already checked by the server.
  id === "findWorkOrderByCode" ? say("orders.unknown-code", { code: (input as Scan).Code.trim() }) : undefined;

/** The operation's result name for something that does not exist. */
function none(row: Operation, message: Refusal["message"]): Refusal {
  const name = row.results.find((result) => result.endsWith("DoesNotExist"));
  if (name === undefined) throw new Fault("rejected", "the answer is empty", { operatorText: say("http.unreadable") });
  return refuse(name, message);
}

function noneRule(id: QueryId, { notFound }: QueryOptions): PageFetch["isNone"] {
  // A list without a search code always exists: "not found" means that the path is wrong.
  const statuses = notFound?.status ?? (id === "listWorkOrders" ? [] : [404]);
  return ({ status }, json) => {
    if (statuses.includes(status)) return true;
    if (notFound?.path === undefined) return false;
    const found = memberAt(json, notFound.path);
    return notFound.equals === undefined
      ? found !== undefined && found !== null && found !== false
      : found === notFound.equals;
  };
}

interface Previewed {
  /** The path of its options. */
  readonly path: readonly (string | number)[];
  readonly serves: QueryId | PushTopic;
  readonly fetch: PageFetch;
  readonly mapper: RecordMapper;
  readonly scope: () => Scope;
  readonly extra: () => Readonly<Record<string, string>>;
  /** The path of a poll's time of change, and the function that reads it. */
  readonly changedAt?: string | undefined;
  readonly changedMs?: ((record: unknown) => number | undefined) | undefined;
}

/** The first records of each list, as received and as mapped. */
export async function previewOf(
  sources: readonly Previewed[],
  {
    limit,
    signal,
    onRecord,
  }: { readonly limit: number; readonly signal: AbortSignal; readonly onRecord?: OnRecord | undefined },
): Promise<readonly Preview[]> {
  const previews: Preview[] = [];
  for (const source of sources) {
    const { path, serves, fetch, mapper, scope, extra } = source;
    await demandCursor(source, signal);
    const shown: unknown[] = [];
    let left = limit;
    for await (const records of fetchPages(fetch, scope(), signal, extra())) {
      shown.push(...records.slice(0, left));
      for (const record of records) onRecord?.({ path, serves, record: contentOf(record) });
      for (const raw of (await mapper.filter(records)).slice(0, left)) {
        const { value, problems } = await mapper.apply(raw);
        previews.push({ serves, raw: contentOf(raw), mapped: value, problems, sourceOf: mapper.sourceOf });
      }
      left -= records.length;
      if (left <= 0) break;
    }
    demandTimes(source, shown);
  }
  return previews;
}

/**
 * Checks the path of the next page's mark. With a wrong path only the first page would ever be read, and nobody would
 * notice.
 */
async function demandCursor({ serves, fetch, scope, extra }: Previewed, signal: AbortSignal): Promise<void> {
  const { page } = fetch;
  if (page === undefined || page.by === "page" || page.by === "offset") return;
  const path = page.by === "cursor" ? page.path : page.by === "next" ? nextPathOf(page) : "the header Link";
  if (path === undefined) return;
  const { json, records, answer, url } = await fetchPage(fetch, scope(), signal, { extra: extra() });
  const isLast = records.length === 0 || (page.size !== undefined && records.length < page.size);
  const mark = page.by === "link" ? nextLink(answer.headers.link, url) : memberAt(json, path);
  if (isLast || mark !== undefined) return;
  // In many systems the last page has no address, and the first may be the last: then only other hints in the answer
  // reveal a mistake.
  const other =
    page.by === "cursor" ? undefined : (nextIn(json, fetch.records) ?? moreThan(records.length, json, page));
  if (page.by !== "cursor" && other === undefined) return;
  const reason = `nothing stands at ${path} in the first page, so the second would never be asked for`;
  const correct = page.by === "link" ? "page" : "page.path";
  throw new Fault("invalid", `${serves}: ${reason}${other === undefined ? "" : ` (${other})`}; correct ${correct}`);
}

const deepestMark = 3;

/** A member beside the records that looks like the address of the next page. */
function nextIn(json: unknown, records: string | undefined, path = "", depth = 1): string | undefined {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return undefined;
  for (const [name, member] of Object.entries(json)) {
    const place = path === "" ? name : `${path}.${name}`;
    if (place === records) continue;
    const isAddress = typeof member === "string" && /^(?:https?:\/\/|\/|\?)|[?&=]/.test(member);
    if (/next/i.test(place) && isAddress) return `the answer has ${place}`;
    const deeper = depth < deepestMark ? nextIn(member, records, place, depth + 1) : undefined;
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

function moreThan(count: number, json: unknown, { total }: PageOptions): string | undefined {
  const all = total === undefined ? Number.NaN : Number(memberAt(json, total));
  return all > count ? `it has ${count} of ${all} records` : undefined;
}

/** Checks the path of the time of change. With a wrong path every poll would start from the beginning. */
function demandTimes({ serves, changedAt, changedMs }: Previewed, shown: readonly unknown[]): void {
  // Nothing is read of the others.
  const records = shown.filter((record) => !(record instanceof AmbiguousRecord));
  if (changedAt === undefined || records.length === 0) return;
  if (changedMs !== undefined && records.some((record) => changedMs(record) !== undefined)) return;
  const found = records.map((record) => memberAt(record, changedAt) ?? null).find((value) => value !== null);
  const problem =
    found === undefined
      ? `nothing stands at ${changedAt} in any record`
      : `${JSON.stringify(found).slice(0, 100)} at ${changedAt} is no time that can be read`;
  throw new Fault("invalid", `${serves}: ${problem}; correct since.path`);
}
