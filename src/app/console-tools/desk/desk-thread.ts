import { parseInTurns } from "../../../kit/json/parse-in-turns.ts";
import { moduleUrl } from "../../../kit/module-url.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import { jobThread } from "../../../large-bodies/job-thread.ts";
import type { ConfigDesk } from "./config-desk.ts";
import type { ConfigSource } from "./config-source.ts";
import type { DeskJob, DeskResult, DeskTask } from "./desk-worker.ts";

type Task<Name extends DeskTask> = (
  given: Parameters<ConfigDesk[Name]>[0],
) => Promise<Awaited<ReturnType<ConfigDesk[Name]>>>;
export type DeskThread = { readonly [Name in DeskTask]: Task<Name> } & { readonly close: () => Promise<void> };

/** People change the configuration rarely, so the idle thread ends soon and releases its memory. */
const idleMs = 60_000;
/** A thread that needs more memory ends, and the adapter goes on. */
const mostHeapMb = 512;
/** Opening every connector of a configuration may take minutes. */
const deadlineMs = 300_000;
/** Deeper than any record of an external system that a mapping reads. */
const maxDepth = 1_000;

/**
 * Reads, compares, loads and tries configurations in a thread of its own. One of a megabyte takes seconds, and events
 * must not wait for it.
 */
export function deskThread(source: ConfigSource, timers: Timers): DeskThread {
  const thread = jobThread<DeskJob, DeskResult>({
    url: moduleUrl("./desk-worker", import.meta.url),
    name: "reads changed configurations",
    workerData: source,
    endWhenIdle: { afterMs: idleMs, timers },
    deadline: { afterMs: deadlineMs, timers },
    resourceLimits: { maxOldGenerationSizeMb: mostHeapMb },
  });
  const run = async (task: DeskTask, given: unknown): Promise<unknown> => {
    const result = await thread.run({ task, given });
    if ("value" in result) return result.value;
    return await parseInTurns(Buffer.from(result.json.buffer), { parse: JSON.parse, maxDepth });
  };
  // The worker answers each task with what its function returns.
  const task = <Name extends DeskTask>(name: Name) => ((given: unknown) => run(name, given)) as Task<Name>;
  return {
    show: task("show"),
    propose: task("propose"),
    tryConnector: task("tryConnector"),
    check: task("check"),
    change: task("change"),
    load: task("load"),
    place: task("place"),
    close: thread.close,
  };
}
