import type { JournalOverview } from "../../engine/journal-view/journal-overview.ts";
import { parseInTurns } from "../../kit/json/parse-in-turns.ts";
import { moduleUrl } from "../../kit/module-url.ts";
import { jobThread } from "../../kit/threads/job-thread.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { ViewJob, ViewName, ViewResult } from "./views-worker.ts";

export interface ViewsThread {
  readonly views: JournalOverview;
  readonly close: () => Promise<void>;
}

/** People look at the journal now and then, so the idle thread ends after a while and releases its memory. */
const idleMs = 300_000;
/** A thread that needs more memory ends, and the adapter goes on. */
const mostHeapMb = 512;
/** Deeper than an entry with its body. */
const maxDepth = 1_000;
/** Longer answers are parsed in turns. */
const shortBytes = 64 * 1024;

/**
 * Reads the journal for people in a thread with its own connection. A search reads thousands of entries, each step of a
 * long order has megabytes, and events must not wait for that.
 */
export function viewsThread({
  databaseFile,
  timers,
  onDamage,
}: {
  readonly databaseFile: string;
  readonly timers: Timers;
  /** Called when a statement finds that the file is damaged. */
  readonly onDamage: (reason: string) => void;
}): ViewsThread {
  const thread = jobThread<ViewJob, ViewResult>({
    url: moduleUrl("./views-worker", import.meta.url),
    name: "reads the journal",
    workerData: databaseFile,
    endWhenIdle: { afterMs: idleMs, timers },
    resourceLimits: { maxOldGenerationSizeMb: mostHeapMb },
  });
  const run = async (view: ViewName, given: readonly unknown[]): Promise<unknown> => {
    const result = await thread.run({ view, given });
    if ("value" in result) return result.value;
    if ("json" in result) return await parsed(Buffer.from(result.json.buffer));
    onDamage(result.damage);
    throw new Error(result.damage);
  };
  // The worker answers each question with what its function returns.
  const query = <Name extends ViewName>(name: Name) =>
    ((...given: readonly unknown[]) => run(name, given)) as JournalOverview[Name];
  return {
    views: {
      find: query("find"),
      show: query("show"),
      view: query("view"),
      lines: query("lines"),
      orders: query("orders"),
      order: query("order"),
      failures: query("failures"),
      timeline: query("timeline"),
      timelineText: query("timelineText"),
      explain: query("explain"),
      explanationText: query("explanationText"),
      candidates: query("candidates"),
      exportPage: query("exportPage"),
    },
    close: thread.close,
  };
}

const parsed = (json: Buffer): unknown =>
  json.length <= shortBytes ? JSON.parse(json.toString()) : parseInTurns(json, { parse: JSON.parse, maxDepth });
