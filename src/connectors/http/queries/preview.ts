import type { QueryId } from "../../../contract/operations.ts";
import type { PushTopic } from "../../../contract/pushes.ts";
import { memberAt, type Scope } from "../../../http-client/answers/template.ts";
import { Fault } from "../../../operation/fault.ts";
import type { Preview } from "../../../sdk/connector.ts";
import { fetchPage, fetchPages, type PageFetch } from "./fetch-pages.ts";
import type { RecordMapper } from "./record-mapper.ts";

export interface Previewed {
  readonly serves: QueryId | PushTopic;
  readonly fetch: PageFetch;
  readonly mapper: RecordMapper;
  readonly scope: () => Scope;
  readonly extra: () => Readonly<Record<string, string>>;
  /** The path of a poll's time of change, and the values found there. */
  readonly changedAt?: string | undefined;
  readonly changedMs?: ((record: unknown) => number | undefined) | undefined;
}

/** The first records of each list, as received and as mapped. */
export async function previewOf(
  sources: readonly Previewed[],
  limit: number,
  signal: AbortSignal,
): Promise<readonly Preview[]> {
  const previews: Preview[] = [];
  for (const source of sources) {
    const { serves, fetch, mapper, scope, extra } = source;
    await demandCursor(source, signal);
    const seen: unknown[] = [];
    let left = limit;
    for await (const records of fetchPages(fetch, scope(), signal, extra())) {
      for (const raw of records.slice(0, left)) {
        seen.push(raw);
        const { value, problems } = await mapper.apply(raw);
        previews.push({ serves, raw, mapped: value, problems, sourceOf: mapper.sourceOf });
      }
      left -= records.length;
      if (left <= 0) break;
    }
    demandTimes(source, seen);
  }
  return previews;
}

/** With a wrong path only the first page would ever be read, and nobody would notice. */
async function demandCursor({ serves, fetch, scope, extra }: Previewed, signal: AbortSignal): Promise<void> {
  const { page } = fetch;
  if (page?.by !== "cursor" || page.path === undefined) return;
  const { json, records } = await fetchPage(fetch, scope(), signal, { extra: extra() });
  const isLast = records.length === 0 || (page.size !== undefined && records.length < page.size);
  if (isLast || memberAt(json, page.path) !== undefined) return;
  const reason = `nothing stands at ${page.path} in the first page, so the second would never be asked for`;
  throw new Fault("invalid", `${serves}: ${reason}; correct page.path`);
}

/** With a wrong path every poll would start from the beginning. */
function demandTimes({ serves, changedAt, changedMs }: Previewed, records: readonly unknown[]): void {
  if (changedAt === undefined || records.length === 0) return;
  if (changedMs !== undefined && records.some((record) => changedMs(record) !== undefined)) return;
  const found = records.map((record) => memberAt(record, changedAt) ?? null).find((value) => value !== null);
  const problem =
    found === undefined
      ? `nothing stands at ${changedAt} in any record`
      : `${JSON.stringify(found).slice(0, 100)} at ${changedAt} is no time that can be read`;
  throw new Fault("invalid", `${serves}: ${problem}; correct since.path`);
}
