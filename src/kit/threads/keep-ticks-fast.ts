import { createHook } from "node:async_hooks";

let kept: object | undefined;

/**
 * Keeps one of the objects that Node makes for each `process.nextTick` in this thread. If none is alive during a few full
 * garbage collections, V8 forgets how they are made and then makes each ten times as slowly, as long as the process
 * lives. A request has several of them.
 */
export function keepTicksFast(): void {
  if (kept !== undefined || !canLeaveOutPromises()) return;
  // Hooks of promises would make all promises of this thread slower, also after the hook has ended.
  const hook = createHook({
    trackPromises: false,
    init: (_id, type, _trigger, resource) => {
      if (type === "TickObject") kept = resource;
    },
  });
  hook.enable();
  process.nextTick(() => {});
  hook.disable();
}

/** An older Node ignores `trackPromises`. One that knows it refuses it together with a hook of promises. */
function canLeaveOutPromises(): boolean {
  try {
    createHook({ trackPromises: false, promiseResolve: () => {} });
    return false;
  } catch {
    return true;
  }
}
