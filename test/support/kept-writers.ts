import { type PreparedWriter, startWriterThread, type WriterThread } from "../../src/journal/sqlite/prepare-writer.ts";

export type { PreparedWriter };

/** More journals than these are rarely open at the same time in one thread of the tests. */
const mostIdle = 3;
const idle: WriterThread[] = [];

/**
 * Stands in for the function of the same name while tests run. It keeps the thread of a closed journal for the next one,
 * as a process with many deployments does: starting a thread and loading the writer is most of the processor time of a
 * start. A thread writes one journal at a time, so a journal still has its thread to itself.
 */
export function prepareWriter(modules: readonly URL[]): PreparedWriter {
  const thread = idleThread() ?? startWriterThread(modules);
  const giveBack = async () => {
    if (thread.isOver()) return;
    if (idle.length < mostIdle) idle.push(thread);
    else await thread.end();
  };
  return {
    loaded: thread.loaded,
    begin: (settings, port) => {
      const writer = thread.begin(settings, port);
      return { ...writer, ended: writer.ended.then(giveBack) };
    },
    discard: giveBack,
  };
}

function idleThread(): WriterThread | undefined {
  let thread = idle.pop();
  while (thread?.isOver() === true) thread = idle.pop();
  return thread;
}
