import { parseInTurns } from "../../../kit/json/parse-in-turns.ts";
import { moduleUrl } from "../../../kit/module-url.ts";
import { jobThread } from "../../../kit/threads/job-thread.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import type { ConfigDrafts } from "./config-drafts.ts";
import type { ConfigSource } from "./config-source.ts";
import type { DraftJob, DraftResult, DraftTask } from "./drafts-worker.ts";

type Task<Name extends DraftTask> = (
  given: Parameters<ConfigDrafts[Name]>[0],
) => Promise<Awaited<ReturnType<ConfigDrafts[Name]>>>;
export type DraftsThread = { readonly [Name in DraftTask]: Task<Name> } & { readonly close: () => Promise<void> };

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
export function draftsThread(source: ConfigSource, timers: Timers): DraftsThread {
  const thread = jobThread<DraftJob, DraftResult>({
    url: moduleUrl("./drafts-worker", import.meta.url),
    name: "reads changed configurations",
    workerData: source,
    endWhenIdle: { afterMs: idleMs, timers },
    deadline: { afterMs: deadlineMs, timers },
    resourceLimits: { maxOldGenerationSizeMb: mostHeapMb },
  });
  const run = async (task: DraftTask, given: unknown): Promise<unknown> => {
    const result = await thread.run({ task, given });
    if ("value" in result) return result.value;
    return await parseInTurns(Buffer.from(result.json.buffer), { parse: JSON.parse, maxDepth });
  };
  // The worker answers each task with what its function returns.
  const task = <Name extends DraftTask>(name: Name) => ((given: unknown) => run(name, given)) as Task<Name>;
  return {
    show: task("show"),
    propose: task("propose"),
    tryConnector: task("tryConnector"),
    check: task("check"),
    change: task("change"),
    load: task("load"),
    read: task("read"),
    describe: task("describe"),
    place: task("place"),
    readAll: task("readAll"),
    readOne: task("readOne"),
    readDeployment: task("readDeployment"),
    describeDeployment: task("describeDeployment"),
    close: thread.close,
  };
}
