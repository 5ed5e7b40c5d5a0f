import { createHash } from "node:crypto";
import { pushRow } from "../../contract/pushes.ts";
import type { OpenContext } from "../../sdk/connector.ts";
import { Fault } from "../../sdk/fault.ts";
import type { Intake, RunningSource } from "../../sdk/intake.ts";
import { fetchPages, type PageFetch } from "./fetch-pages.ts";
import type { PollOptions } from "./poll-options.ts";
import { mapRecords, type RecordMapper, recordMapper } from "./record-mapper.ts";
import { since } from "./since.ts";
import type { Workbench } from "./workbench.ts";

const defaultEverySeconds = 60;

export interface Poll {
  readonly options: PollOptions;
  readonly fetch: PageFetch;
  readonly mapper: RecordMapper;
  /** Query parameters and placeholders for the next turn. */
  readonly place: () => { readonly extra: Readonly<Record<string, string>>; readonly since: string | undefined };
  readonly run: (intake: Intake) => RunningSource;
}

export type PollNeeds = Pick<OpenContext, "timers" | "notebook" | "log"> & { readonly bench: Workbench };

/** Fetches records regularly and hands them over page by page. One turn at a time; a turn that fails is followed by the next. */
export function openPoll(options: PollOptions, { bench, timers, notebook, log }: PollNeeds): Poll {
  const { topic, everySeconds = defaultEverySeconds } = options;
  const fetch = bench.fetch(options);
  const mapper = recordMapper({ map: options.map, target: pushRow(topic).element, dates: bench.dates });
  const mark = options.since === undefined ? undefined : since(options.since, bench.dates);
  const key = noteKey(options);
  const origin = bench.baseUrl.host + options.path;

  const place: Poll["place"] = () => {
    if (mark === undefined) return { extra: {}, since: undefined };
    const noted = Number(notebook.read(key) ?? Number.NaN);
    const written = mark.written(Number.isFinite(noted) ? noted : undefined);
    const param = options.since?.param;
    return { extra: param === undefined ? {} : { [param]: written }, since: written };
  };

  const turn = async (intake: Intake, signal: AbortSignal): Promise<void> => {
    const startedAt = bench.clock.now();
    const { extra, since: written } = place();
    let latestMs: number | undefined;
    for await (const records of fetchPages(fetch, { ...bench.scope(undefined), since: written }, signal, extra)) {
      const elements = await mapRecords(mapper, records);
      const taken = await intake({ topic, elements, origin, onBad: "quarantine", sourceOf: mapper.sourceOf });
      if ("notStored" in taken)
        throw new Fault("broken", "what was fetched could not be stored; the next poll fetches it again");
      for (const record of records) {
        const changedMs = mark?.changedMs(record);
        // A date in the future, by mistake or by another clock, must not make us skip everything until then.
        if (changedMs !== undefined) latestMs = Math.max(latestMs ?? 0, Math.min(changedMs, startedAt));
      }
    }
    // Only now: pages come in any order, and a mark set after the first would skip what the others had.
    const reached = options.since?.at === undefined ? startedAt : latestMs;
    if (mark !== undefined && reached !== undefined) await notebook.write(key, String(reached));
  };

  return {
    options,
    fetch,
    mapper,
    place,
    run: (intake) => {
      const stopping = new AbortController();
      let cancel = () => {};
      let running: Promise<void> = Promise.resolve();
      const begin = () => {
        if (stopping.signal.aborted) return;
        running = turn(intake, stopping.signal)
          .then(() => intake.looked?.())
          .catch((error: unknown) => {
            if (!stopping.signal.aborted)
              log.warn({ topic, origin, reason: bench.redact(String(error)) }, "a poll failed; the next one goes on");
          })
          .then(() => {
            cancel = timers.after(everySeconds * 1000, begin);
          });
      };
      timers.soon(begin);
      return {
        stop: async () => {
          stopping.abort();
          await running;
          cancel();
        },
      };
    },
  };
}

/** By what is asked, not by its place in the list: another poll in that place must not begin where this one ended. */
function noteKey({ topic, method, path, query, body, records }: PollOptions): string {
  const asked = JSON.stringify({ method, path, query, body, records });
  return `poll.${topic}.${createHash("sha1").update(asked).digest("hex").slice(0, 12)}`;
}
