import {
  onlyWriterOf,
  type PreparedWriter,
  startWriterThread as startAnew,
  type WriterThread,
} from "../../src/journal/sqlite/prepare-writer.ts";

export type { PreparedWriter, WriterThread };

/** More journals than these are rarely open at the same time in one thread of the tests. */
const mostIdle = 3;
const idle: WriterThread[] = [];

/**
 * The functions of this module stand in for those of the same name while tests run. A thread whose journals are closed is
 * kept for the next journal: starting a thread and loading the writer is most of the processor time of a start. A journal
 * never shares its thread with one that it would not share it with outside of tests.
 */
export function startWriterThread(modules: readonly URL[]): WriterThread {
  const thread = idleThread() ?? startAnew(modules);
  let journals = 0;
  let isGivenBack = false;
  return {
    loaded: thread.loaded,
    begin: (settings, port) => {
      journals++;
      const writer = thread.begin(settings, port);
      return { ...writer, ended: writer.ended.then(() => void journals--) };
    },
    isOver: () => isGivenBack || thread.isOver(),
    end: async () => {
      if (isGivenBack) return;
      isGivenBack = true;
      // A thread with an open journal is ended in the middle of its work, as it would be outside of tests.
      if (journals > 0 || thread.isOver() || idle.length >= mostIdle) await thread.end();
      else idle.push(thread);
    },
  };
}

/** As in the module that this one stands in for. */
export const prepareWriter = (modules: readonly URL[]): PreparedWriter => onlyWriterOf(startWriterThread(modules));

function idleThread(): WriterThread | undefined {
  let thread = idle.pop();
  while (thread?.isOver() === true) thread = idle.pop();
  return thread;
}
