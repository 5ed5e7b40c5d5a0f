import { createHash } from "node:crypto";
import { pushRow } from "../../contract/pushes.ts";
import { AmbiguousRecord } from "../../http-client/answers/ambiguous-records.ts";
import { memberAt } from "../../http-client/answers/template.ts";
import { traced } from "../../kit/tracing/tracing.ts";
import { type DateSettings, readDateTime } from "../../operation/dates.ts";
import { Fault } from "../../operation/fault.ts";
import type { OpenContext } from "../../sdk/connector.ts";
import { defaultCompareHours, fullComparison } from "../../sdk/full-comparison.ts";
import { type CompletePoll, type Intake, pollSpan, type RunningSource } from "../../sdk/intake.ts";
import type { PollOptions, SinceOptions } from "./options/options.ts";
import { fetchPages, type PageFetch } from "./queries/fetch-pages.ts";
import { mapRecords, type RecordMapper, recordMapper, type Workbench } from "./workbench.ts";

const defaultEverySeconds = 60;

export interface Poll {
  readonly options: PollOptions;
  readonly fetch: PageFetch;
  readonly mapper: RecordMapper;
  /** When a record was changed; undefined if the poll has no `since`. */
  readonly changedMs: ((record: unknown) => number | undefined) | undefined;
  /** Query parameters and placeholders for the next poll. */
  readonly place: () => { readonly extra: Readonly<Record<string, string>>; readonly since: string | undefined };
  /** The name is that of the poll in an alarm. */
  readonly run: (intake: Intake, name: string) => RunningSource;
}

export type PollNeeds = Pick<OpenContext, "timers" | "connectorState" | "log" | "tracing"> & {
  readonly bench: Workbench;
};

/**
 * Fetches records at an interval and hands them over page by page. Polls never overlap; a failed poll is retried at the
 * next interval.
 */
export function openPoll(options: PollOptions, { bench, timers, connectorState, log, tracing }: PollNeeds): Poll {
  const { topic, everySeconds = defaultEverySeconds, badRecords = "quarantine" } = options;
  const fetch = { ...bench.fetch(options), withholds: true };
  const mapper = recordMapper({
    ...{
      map: options.map,
      where: options.where,
      lineKey: options.lineKey,
      target: pushRow(topic).element,
      dates: bench.dates,
    },
  });
  const mark = options.since === undefined ? undefined : since(options.since, bench.dates);
  const key = noteKey(options);
  const origin = bench.baseUrl.host + options.path;

  const notedMs = (): number | undefined => {
    const noted = Number(connectorState.read(key) ?? Number.NaN);
    return Number.isFinite(noted) ? noted : undefined;
  };
  const place: Poll["place"] = () => {
    if (mark === undefined) return { extra: {}, since: undefined };
    const written = mark.written(notedMs());
    const param = options.since?.param;
    return { extra: param === undefined ? {} : { [param]: written }, since: written };
  };

  /** Hands over the records page by page; `isWanted` filters out known ones. */
  const take = async (
    intake: Intake,
    asked: { readonly signal: AbortSignal; readonly since: string | undefined },
    { isWanted = () => true, isComparison = false }: TakeOptions = {},
  ): Promise<{
    readonly ids: readonly string[];
    readonly latestMs: number | undefined;
    /** How many records could be read. */
    readonly count: number;
    readonly ambiguous: number;
    readonly undecided: number;
  }> => {
    const param = options.since?.param;
    const extra = param === undefined || asked.since === undefined ? {} : { [param]: asked.since };
    const startedAt = bench.clock.now();
    const ids: string[] = [];
    let latestMs: number | undefined;
    let count = 0;
    let ambiguous = 0;
    let undecided = 0;
    const scope = { ...bench.scope(undefined), since: asked.since };
    for await (const records of fetchPages(fetch, scope, asked.signal, extra)) {
      const wanted = await mapper.filter(records.filter(isWanted));
      const elements = await mapRecords(mapper, wanted);
      const versions = wanted.map((record) => mark?.changedMs(record)?.toString());
      const rereads = { versions, isComparison };
      const result = await intake({
        ...{ topic, elements, origin, badRecords, sourceOf: mapper.sourceOf, rereads },
        ...(options.ignoreOwn === true ? { ignoreOwn: { readAt: startedAt } } : {}),
      });
      if ("notStored" in result)
        throw new Fault("broken", "what was fetched could not be stored; the next poll fetches it again");
      if (badRecords === "refuse" && result.bad.length > 0)
        throw new Fault(
          "broken",
          `${result.bad.length} bad records were refused with their page; the next poll asks again`,
        );
      ids.push(...result.ids);
      undecided += result.later ?? 0;
      const odd = records.filter((record) => record instanceof AmbiguousRecord).length;
      ambiguous += odd;
      count += records.length - odd;
      for (const record of records) {
        const changedMs = mark?.changedMs(record);
        // A time in the future, by mistake or by another clock, must not make the poll skip everything until then.
        if (changedMs !== undefined) latestMs = Math.max(latestMs ?? 0, Math.min(changedMs, startedAt));
      }
    }
    return { ids, latestMs, count, ambiguous, undecided };
  };

  /** The warning about missing times is logged only once. */
  let isTimelessLogged = false;
  /** Runs one poll. Returns what it has read completely. */
  const turn = async (intake: Intake, signal: AbortSignal): Promise<CompletePoll | undefined> => {
    const startedAt = bench.clock.now();
    const { latestMs, count, ambiguous, undecided } = await take(intake, { signal, since: place().since });
    // Stored only now: pages come in any order, and a mark set after the first page would skip records of the others.
    const reached = options.since?.path === undefined ? startedAt : latestMs;
    // Orders with events under way are read again: only afterwards can their amounts be compared.
    if (mark !== undefined && reached !== undefined && undecided === 0)
      await connectorState.write(key, String(reached));
    const isTimeless = reached === undefined && count > 0;
    if (isTimeless && !isTimelessLogged) {
      log.warn(
        { topic, origin, path: options.since?.path },
        "no time can be read from any polled record; the poll reads everything from its start each time",
      );
    }
    isTimelessLogged = isTimeless;
    // An ambiguous record may be any of those that were not found: none of them is missing for certain.
    return ambiguous > 0 ? undefined : { topic, origin, startedAt };
  };

  const compare = fullComparison({
    ...{ clock: bench.clock, connectorState, log, key, topic },
    everyHours: mark === undefined ? 0 : (options.compareEveryHours ?? defaultCompareHours),
  });
  /**
   * Fetches everything from the start and hands over what the poll no longer fetches. Returns the ids of records that
   * were unknown.
   */
  const compareOnce = async (intake: Intake, signal: AbortSignal): Promise<readonly string[]> => {
    const askedMs = mark?.askedMs(notedMs());
    const isOlder = (record: unknown) => {
      const changedMs = mark?.changedMs(record);
      return changedMs === undefined || askedMs === undefined || changedMs < askedMs;
    };
    return (await take(intake, { signal, since: mark?.written(undefined) }, { isWanted: isOlder, isComparison: true }))
      .ids;
  };

  return {
    options,
    fetch,
    mapper,
    changedMs: mark?.changedMs,
    place,
    run: (intake, name) => {
      const stopping = new AbortController();
      let cancel = () => {};
      let running: Promise<void> = Promise.resolve();
      const begin = () => {
        if (stopping.signal.aborted) return;
        intake.sourceResult?.(name, "begun");
        const polled = async () => {
          const read = await turn(intake, stopping.signal);
          intake.sourceRead?.(read);
          // Before the comparison: that may take long, and its failure is none of the poll.
          intake.sourceResult?.(name, "worked");
          await compare(() => compareOnce(intake, stopping.signal));
          return 0;
        };
        running = traced(tracing, pollSpan(topic), polled)
          .catch((error: unknown) => {
            if (!stopping.signal.aborted) {
              const reason = bench.redact(String(error));
              log.warn({ topic, origin, reason }, "poll failed; retrying at the next interval");
              intake.sourceResult?.(name, "failed");
            }
            return askedToWaitMs(error);
          })
          .then((waitMs) => {
            cancel = timers.after(Math.max(everySeconds * 1000, waitMs), begin);
          });
      };
      timers.soon(begin);
      return {
        stop: async () => {
          stopping.abort();
          await running;
          cancel();
          intake.sourceResult?.(name, "worked");
        },
      };
    },
  };
}

interface TakeOptions {
  readonly isWanted?: (record: unknown) => boolean;
  readonly isComparison?: boolean;
}

const longestWaitMs = 3_600_000;

/** How long the external system asks us to wait, at most one hour. */
const askedToWaitMs = (error: unknown): number =>
  error instanceof Fault ? Math.min(error.answer.retryAfterMs ?? 0, longestWaitMs) : 0;

/**
 * The key depends on the request, not on its position in the list: a different poll at the same position must start
 * from the beginning.
 */
function noteKey({ topic, method, path, query, body, records }: PollOptions): string {
  const asked = JSON.stringify({ method, path, query, body, records });
  return `poll.${topic}.${createHash("sha1").update(asked).digest("hex").slice(0, 12)}`;
}

const defaultOverlapSeconds = 120;

/** The progress of a poll: the time of the latest change it has seen. */
interface Since {
  /** The start time of the next poll, in the external system's format. */
  readonly written: (seenMs: number | undefined) => string;
  /** The start time of the next poll, in milliseconds since 1970. */
  readonly askedMs: (seenMs: number | undefined) => number;
  /** When a record was changed, in milliseconds since 1970; undefined if the record has no time. */
  readonly changedMs: (record: unknown) => number | undefined;
}

function since(options: SinceOptions, dates: DateSettings): Since {
  const { path, format = "iso", zone = dates.timeZone, overlapSeconds = defaultOverlapSeconds, start } = options;
  const zoned = { ...dates, timeZone: zone };
  const startMs = start === undefined ? 0 : (msOf(start, zoned) ?? 0);
  // A change gets its time when it begins, but is visible only after the commit. Without the overlap, late commits
  // would be skipped.
  const askedMs = (seenMs: number | undefined) =>
    Math.max(0, seenMs === undefined ? startMs : seenMs - overlapSeconds * 1000);
  return {
    askedMs,
    written: (seenMs) => {
      const fromMs = askedMs(seenMs);
      if (format === "epoch") return String(Math.floor(fromMs / 1000));
      if (format === "epochMs") return String(fromMs);
      if (format === "iso") return new Date(fromMs).toISOString().replace(/\.\d+Z$/, "Z");
      // The Swedish locale writes dates in ISO order.
      const local = new Date(fromMs).toLocaleString("sv-SE", { timeZone: zone });
      return format === "date" ? local.slice(0, 10) : local;
    },
    changedMs: (record) => (path === undefined ? undefined : msOf(memberAt(record, path), zoned)),
  };
}

function msOf(value: unknown, dates: DateSettings): number | undefined {
  if (typeof value === "number" && Number.isFinite(value)) return value < 1e11 ? value * 1000 : value;
  if (typeof value !== "string") return undefined;
  const read = readDateTime(value, dates);
  return read === null ? undefined : Date.parse(read);
}
