import type { AskId } from "../../contract/operations.ts";
import type { PushTopic } from "../../contract/pushes.ts";
import type { Scope } from "../../sdk/http/template.ts";
import type { Preview } from "../../sdk/preview.ts";
import { fetchPages, type PageFetch } from "./fetch-pages.ts";
import type { RecordMapper } from "./record-mapper.ts";

export interface Previewed {
  readonly serves: AskId | PushTopic;
  readonly fetch: PageFetch;
  readonly mapper: RecordMapper;
  readonly scope: () => Scope;
  readonly extra: () => Readonly<Record<string, string>>;
}

/** The first records of each list, as they came and as they would be served. */
export async function previewOf(
  sources: readonly Previewed[],
  limit: number,
  signal: AbortSignal,
): Promise<readonly Preview[]> {
  const previews: Preview[] = [];
  for (const { serves, fetch, mapper, scope, extra } of sources) {
    let left = limit;
    for await (const records of fetchPages(fetch, scope(), signal, extra())) {
      for (const raw of records.slice(0, left)) {
        const { value, problems } = await mapper.apply(raw);
        previews.push({ serves, raw, mapped: value, problems, sourceOf: mapper.sourceOf });
      }
      left -= records.length;
      if (left <= 0) break;
    }
  }
  return previews;
}
