import { readAnswer } from "../../sdk/http/read-answer.ts";
import type { Scope } from "../../sdk/http/template.ts";
import type { PageFetch } from "./fetch-pages.ts";
import { recordsOf, requireSuccess } from "./read-records.ts";

/** So many at a time: enough to hide the way there and back, too few to be a burden. */
const atOnce = 8;

/** The records with their details in their place. One that is gone by now is left out. */
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
      const answer = await call({ ...detail.plan.fill({ ...scope, record: records[index] }), signal });
      if (answer.status === 404) continue;
      const read = readAnswer(answer);
      requireSuccess({ answer, read, rules, redact, now: now() });
      detailed[index] = [...recordsOf(read.json, detail.records)];
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, records.length) }, worker));
  return detailed.flat();
}
