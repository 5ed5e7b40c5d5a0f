import type { AskId } from "../../contract/operations.ts";
import type { PushTopic } from "../../contract/pushes.ts";
import { defaultLanguage } from "../../messages/languages.ts";
import { localise } from "../../messages/localise.ts";
import type { DateSettings } from "../../sdk/dates.ts";
import { checkMapped, mappedSchema } from "../../sdk/mapping/check-mapped.ts";
import { compileMapping } from "../../sdk/mapping/compile-mapping.ts";
import { problemText } from "../../sdk/problem-text.ts";

/** One record of a sample, and what became of it. */
export interface MappedSample {
  /** As the platform would get it; where there are problems, as far as the mapping came. */
  readonly record: unknown;
  readonly problems: readonly SampleProblem[];
}

export interface SampleProblem {
  readonly field: string;
  readonly text: string;
  /** Where to look in the sample. */
  readonly source?: string;
}

/** Maps every record of a sample and checks it against the contract, as a connector would. */
export async function runMapping(needs: {
  readonly spec: unknown;
  readonly records: readonly unknown[];
  /** Null: an event on its way out, which the contract says nothing about. */
  readonly serves: AskId | PushTopic | null;
  readonly dates: DateSettings;
}): Promise<MappedSample[]> {
  const { spec, records, serves, dates } = needs;
  const target = serves === null ? undefined : mappedSchema(serves);
  const mapping = compileMapping(spec, { dates, ...(target === undefined ? {} : { target }) });
  const samples: MappedSample[] = [];
  for (const source of records) {
    const { value, problems } = await mapping.apply(source);
    const checked = serves === null ? { record: value } : checkMapped(serves, value, dates);
    if (!("problems" in checked)) {
      samples.push({ record: problems.length === 0 ? checked.record : value, problems });
      continue;
    }
    // What the mapping could not make is missing in the contract's eyes too; it is told once, in the mapping's words.
    const told = new Set(problems.map(({ field }) => field));
    const objections = checked.problems
      .filter(({ field }) => !told.has(field))
      .map((problem) => {
        const origin = mapping.sourceOf(problem.field);
        const text = localise(problemText(problem), defaultLanguage);
        return { field: problem.field, text, ...(origin === undefined ? {} : { source: origin }) };
      });
    samples.push({ record: value, problems: [...problems, ...objections] });
  }
  return samples;
}
