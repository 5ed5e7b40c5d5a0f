type InTurns = <T>(group: string, work: () => Promise<T>) => Promise<T>;

/**
 * Runs one task at a time. Tasks of a group keep their order, and groups take turns: whoever waits for each of its tasks
 * before it adds the next would otherwise stand behind all tasks of the others, each time.
 */
export function inTurns(): InTurns {
  const waiting = new Map<string, (() => Promise<void>)[]>();
  let isRunning = false;

  const runAll = async () => {
    isRunning = true;
    for (;;) {
      const [next] = waiting;
      if (next === undefined) break;
      const [group, tasks] = next;
      const task = tasks.shift();
      // The group goes to the end of the line.
      waiting.delete(group);
      if (tasks.length > 0) waiting.set(group, tasks);
      await task?.();
    }
    isRunning = false;
  };

  return (group, work) =>
    new Promise((resolve, reject) => {
      // Also if it throws at once: nothing would ever run again.
      const task = async () => {
        try {
          resolve(await work());
        } catch (error) {
          reject(error);
        }
      };
      const tasks = waiting.get(group);
      if (tasks === undefined) waiting.set(group, [task]);
      else tasks.push(task);
      if (!isRunning) void runAll();
    });
}
