import { createHash } from "node:crypto";
import { pushRow } from "../../contract/pushes.ts";
import type { Log } from "../../kit/log.ts";
import type { Timers } from "../../kit/timers.ts";
import type { Notebook } from "../../sdk/connector.ts";
import { Fault } from "../../sdk/fault.ts";
import type { Intake, PushSource } from "../../sdk/intake.ts";
import type { Mapping } from "../../sdk/mapping/compile-mapping.ts";
import { withProblems } from "../../sdk/mapping/with-problems.ts";
import { compileMap } from "./compile-map.ts";
import type { Compiling } from "./compiling.ts";
import type { Row, RowLimit } from "./drivers/row-collector.ts";
import { inPortions } from "./in-portions.ts";
import { optionDefaults } from "./option-defaults.ts";
import type { PollOptions } from "./options.ts";
import { type RecordReader, type Records, recordReader } from "./record-reader.ts";
import { laterCursor, sinceOf } from "./since-cursor.ts";
import { scopeOfNames } from "./statement/parameter-scope.ts";

export interface CompiledPoll {
  readonly options: PollOptions;
  /** Under which the notebook keeps how far it has come. */
  readonly key: string;
  readonly reader: RecordReader;
  readonly mapping: Mapping;
  readonly start: string;
}

const beginning = "1970-01-01 00:00:00";
/** Handed over at once: of a long result only so many exist as objects, and the journal takes other things in between. */
const perIntake = 50;

export function compilePoll(options: PollOptions, index: number, compiling: Compiling): CompiledPoll {
  const path = ["poll", index];
  const reader = recordReader(options, scopeOfNames(["since"]), path, compiling);
  const mapping = compileMap(options.map, pushRow(options.topic).element, [...path, "map"], compiling);
  // By the statement and not by its place: a poll must never go on where another one stopped.
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
  readonly timers: Timers;
  readonly log: Log;
  readonly notebook: Notebook;
  readonly limit: RowLimit;
  readonly read: (poll: CompiledPoll, since: string, reading: PollReading) => Promise<Records>;
}

interface PollReading {
  readonly limit: RowLimit;
  readonly signal: AbortSignal;
  /** Sees every row, before they are folded. */
  readonly onRow?: (row: Row) => void;
}

/** Looks into each table in its own rhythm; never twice at once into the same. */
export function pollSource(polls: readonly CompiledPoll[], needs: PollNeeds): PushSource {
  return {
    start: (intake) => {
      const running = polls.map((poll) => repeat(poll, intake, needs));
      return {
        stop: async () => {
          await Promise.all(running.map((stop) => stop()));
        },
      };
    },
  };
}

function repeat(poll: CompiledPoll, intake: Intake, needs: PollNeeds): () => Promise<void> {
  const { timers, log } = needs;
  const abort = new AbortController();
  let cancel = () => {};
  let turn: Promise<void> = Promise.resolve();
  const run = () => {
    turn = pollOnce(poll, intake, needs, abort.signal)
      .then(() => intake.looked?.())
      .catch((error: unknown) => {
        if (!abort.signal.aborted)
          log.warn({ topic: poll.options.topic, err: error }, "a poll failed; it is tried again");
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
  };
}

const everyMs = ({ options }: CompiledPoll) => (options.everySeconds ?? optionDefaults.everySeconds) * 1000;

/** One look. The cursor goes on only when everything is on the disk: what is read twice is known by its content. */
async function pollOnce(
  poll: CompiledPoll,
  intake: Intake,
  { notebook, limit, read, log }: PollNeeds,
  signal: AbortSignal,
): Promise<void> {
  const { options, mapping } = poll;
  const { column, overlapSeconds = optionDefaults.overlapSeconds } = options.since;
  const cursor = notebook.read(poll.key) ?? poll.start;
  let next = cursor;
  const onRow = (row: Row) => {
    if (!Object.hasOwn(row, column))
      throw new Fault("broken", `the poll gives no column ${column}; there is ${Object.keys(row).join(", ")}`);
    next = laterCursor(next, row[column]);
  };
  const records = await read(poll, sinceOf(cursor, overlapSeconds), { limit, signal, onRow });
  try {
    for (const some of inPortions(records, perIntake)) {
      const elements: unknown[] = [];
      for (const record of some) elements.push(withProblems(await mapping.apply(record)));
      const taken = await intake({
        topic: options.topic,
        elements,
        origin: `database, poll of ${options.topic}`,
        onBad: "quarantine",
        sourceOf: mapping.sourceOf,
      });
      if ("notStored" in taken) throw new Fault("broken", "what was polled could not be stored; it is polled again");
      if (taken.bad.length > 0)
        log.warn({ topic: options.topic, bad: taken.bad.length }, "polled records were kept back");
      if (signal.aborted) return;
    }
  } finally {
    records.free();
  }
  if (next !== cursor) await notebook.write(poll.key, next);
}
