import { createHash } from "node:crypto";
import { pushRow } from "../../../contract/pushes.ts";
import type { Log } from "../../../kit/log.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import { type Tracing, traced } from "../../../kit/tracing/tracing.ts";
import type { Mapping } from "../../../mapping/compile-mapping.ts";
import { withProblems } from "../../../mapping/run.ts";
import { withSource } from "../../../mapping/source-record.ts";
import { Fault } from "../../../operation/fault.ts";
import type { ConnectorState } from "../../../sdk/connector.ts";
import { defaultCompareHours, fullComparison } from "../../../sdk/full-comparison.ts";
import { type Intake, type PushSource, pollName, pollSpan } from "../../../sdk/intake.ts";
import { type Compiling, compileMap } from "../compile/bound-statement.ts";
import type { Row, RowLimit } from "../drivers/database.ts";
import { optionDefaults } from "../option-parts.ts";
import type { PollOptions } from "../options.ts";
import { type RecordReader, type Records, recordReader } from "../rows/row-reader.ts";
import { inPortions } from "../rows/row-store.ts";
import { scopeOfNames } from "../statement/parameter-scope.ts";
import { numberCursor } from "./number-cursor.ts";
import { isBefore, isPlace, laterCursor, notAfter, sinceOf, sincePlaces } from "./since-cursor.ts";

export interface CompiledPoll {
  readonly options: PollOptions;
  /** The key of the poll's cursor in the connector state. */
  readonly key: string;
  readonly reader: RecordReader;
  readonly mapping: Mapping;
  readonly start: string;
}

const beginning = "1970-01-01 00:00:00";
/**
 * Batch size: only this many records of a long result exist as objects, and the journal can store other data between
 * batches.
 */
const perIntake = 50;

export function compilePoll(options: PollOptions, index: number, compiling: Compiling): CompiledPoll {
  const path = ["poll", index];
  const reader = recordReader(options, scopeOfNames(["since"]), path, compiling);
  const mapping = compileMap(options.map, pushRow(options.topic).element, [...path, "map"], compiling);
  // The key depends on the statement, not on its position: a poll must never continue with the cursor of another.
  const digest = createHash("sha256").update(options.sql).digest("hex").slice(0, 12);
  return {
    options,
    key: `poll.${options.topic}.${digest}`,
    reader,
    mapping,
    start: String(options.since.start ?? beginning),
  };
}

export interface PollNeeds {
  readonly clock: Clock;
  /** The time zone of a column without offset. */
  readonly timeZone: string;
  readonly timers: Timers;
  readonly log: Log;
  readonly tracing?: Tracing | undefined;
  readonly connectorState: ConnectorState;
  readonly limit: RowLimit;
  readonly read: (poll: CompiledPoll, since: string, reading: PollReading) => Promise<Records>;
}

interface PollReading {
  readonly limit: RowLimit;
  readonly signal: AbortSignal;
  /** Called for every row, before rows are folded. */
  readonly onRow?: (row: Row) => void;
}

/** Polls each table at its own interval; never twice at the same time. */
export function pollSource(polls: readonly CompiledPoll[], needs: PollNeeds): PushSource {
  return {
    start: (intake) => {
      const running = polls.map((poll, index) => repeat(poll, pollName(index, poll.options.topic), intake, needs));
      return {
        stop: async () => {
          await Promise.all(running.map((stop) => stop()));
        },
      };
    },
  };
}

function repeat(poll: CompiledPoll, name: string, intake: Intake, needs: PollNeeds): () => Promise<void> {
  const { timers, log } = needs;
  const abort = new AbortController();
  const compare = fullComparison({
    ...needs,
    key: poll.key,
    topic: poll.options.topic,
    everyHours: compareHours(poll),
  });
  const logged: Logged = { isFutureLogged: false, isPlacelessLogged: false };
  let cancel = () => {};
  let turn: Promise<void> = Promise.resolve();
  const run = () => {
    const startedAt = needs.clock.now();
    intake.sourceResult?.(name, "begun");
    const polled = async () => {
      await pollOnce(poll, intake, needs, { signal: abort.signal, logged });
      intake.sourceRead?.({ topic: poll.options.topic, origin: originOf(poll), startedAt });
      // Before the comparison: that may take long, and its failure is none of the poll.
      intake.sourceResult?.(name, "worked");
      await compare(() => compareOnce(poll, intake, needs, abort.signal));
    };
    turn = traced(needs.tracing, pollSpan(poll.options.topic), polled)
      .catch((error: unknown) => {
        if (abort.signal.aborted) return;
        log.warn({ topic: poll.options.topic, err: error }, "poll failed; retrying at the next interval");
        intake.sourceResult?.(name, "failed");
      })
      .then(() => {
        if (!abort.signal.aborted) cancel = timers.after(everyMs(poll), run);
      });
  };
  cancel = timers.after(0, run);
  return async () => {
    cancel();
    abort.abort();
    await turn;
    intake.sourceResult?.(name, "worked");
  };
}

const everyMs = ({ options }: CompiledPoll) => (options.everySeconds ?? optionDefaults.everySeconds) * 1000;

const compareHours = ({ options }: CompiledPoll) => options.compareEveryHours ?? defaultCompareHours;
const overlapOf = ({ options }: CompiledPoll) => options.since.overlapSeconds ?? optionDefaults.overlapSeconds;

/** Warnings already logged for a running poll: each is logged once. */
interface Logged {
  isFutureLogged: boolean;
  isPlacelessLogged: boolean;
}

/**
 * Runs one poll. The cursor moves only after everything is on the disk; rows that are read twice are recognised by
 * their content.
 */
async function pollOnce(
  poll: CompiledPoll,
  intake: Intake,
  needs: PollNeeds,
  { signal, logged }: { readonly signal: AbortSignal; readonly logged: Logged },
): Promise<void> {
  const { connectorState, clock, timeZone, limit, read, log } = needs;
  const { topic, since } = poll.options;
  const cursor = cursorOf(poll, needs);
  let next = cursor;
  const places = sincePlaces(poll);
  const askedAt = clock.now();
  const numbers = numberCursor(cursor, askedAt);
  const onRow = (row: Row) => {
    places.note(row);
    numbers.note(row[since.column]);
    next = laterCursor(next, row[since.column]);
  };
  const records = await read(poll, sinceOf(cursor, overlapOf(poll)), { limit, signal, onRow });
  await takeIn(records, poll, intake, { signal, isComparison: false });
  if (signal.aborted) return;
  const isFuture = notAfter(next, clock.now(), timeZone) !== next;
  // Not from now on: rows may have come while this poll was reading and storing.
  const reached = numbers.beforeFuture() ?? (isFuture ? notAfter(next, askedAt, timeZone) : next);
  if (reached !== next && !logged.isFutureLogged) {
    const fields = { topic, column: since.column, value: next, askedFrom: reached };
    log.warn(
      fields,
      "a row has a time in the future; the next poll does not start from it, so that no change is missed",
    );
  }
  logged.isFutureLogged = reached !== next;
  const placeless = places.problem();
  if (placeless !== null && !logged.isPlacelessLogged) {
    log.warn(
      { topic, column: since.column, reason: placeless },
      "the poll column gives no place to continue from; each poll reads everything from the start",
    );
  }
  logged.isPlacelessLogged = placeless !== null;
  if (reached !== cursor) await connectorState.write(poll.key, reached);
}

/** Returns the cursor, at most the current time: an earlier version may have stored a time in the future. */
const cursorOf = ({ key, start }: CompiledPoll, { connectorState, clock, timeZone }: PollNeeds): string =>
  notAfter(connectorState.read(key) ?? start, clock.now(), timeZone);

/**
 * Reads everything from the start and hands over what the poll no longer reads. Returns the ids of records that were
 * unknown.
 */
async function compareOnce(
  poll: CompiledPoll,
  intake: Intake,
  needs: PollNeeds,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { column } = poll.options.since;
  const since = sinceOf(cursorOf(poll, needs), overlapOf(poll));
  const records = await needs.read(poll, poll.start, { limit: needs.limit, signal });
  const older = async function* () {
    for await (const record of records) if (isBefore(record[column], since)) yield record;
  };
  return await takeIn({ [Symbol.asyncIterator]: older, free: records.free }, poll, intake, {
    signal,
    isComparison: true,
  });
}

interface TakeOptions {
  readonly signal: AbortSignal;
  readonly isComparison: boolean;
}

const originOf = ({ options }: CompiledPoll): string => `database, poll of ${options.topic}`;

const versionOf = (value: unknown): string | undefined => (isPlace(value) ? String(value) : undefined);

async function takeIn(
  records: Records,
  poll: CompiledPoll,
  intake: Intake,
  { signal, isComparison }: TakeOptions,
): Promise<readonly string[]> {
  const { options, mapping } = poll;
  const { badRecords = "quarantine" } = options;
  const ids: string[] = [];
  try {
    for await (const some of inPortions(records, perIntake)) {
      const elements: unknown[] = [];
      const versions: (string | undefined)[] = [];
      for (const record of some) {
        const made = withProblems(await mapping.apply(record));
        elements.push(withSource(made, { record, sourceOf: mapping.sourceOf }));
        versions.push(versionOf(record[options.since.column]));
      }
      const result = await intake({
        topic: options.topic,
        elements,
        origin: originOf(poll),
        rereads: { versions, isComparison },
        badRecords,
        sourceOf: mapping.sourceOf,
      });
      if ("notStored" in result) throw new Fault("broken", "what was polled could not be stored; it is polled again");
      if (badRecords === "refuse" && result.bad.length > 0)
        throw new Fault(
          "broken",
          `${result.bad.length} bad records were refused with theirs; the next poll reads them again`,
        );
      ids.push(...result.ids);
      if (signal.aborted) return ids;
    }
  } finally {
    records.free();
  }
  return ids;
}
