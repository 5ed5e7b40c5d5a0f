import { registerHooks } from "node:module";
import { moduleUrl } from "../../kit/module-url.ts";

const doors = new Map([
  ["crossdock/sdk", moduleUrl("../../sdk/index", import.meta.url).href],
  ["crossdock/contract", moduleUrl("../../contract/index", import.meta.url).href],
]);

let isOpen = false;

/**
 * `crossdock/sdk` in a customer's file is the SDK of this very program. Without this the file would need a node_modules
 * folder beside it, and its Fault would be of another class than ours: no fault of theirs would be known as one.
 * Once per process: hooks are the process's own.
 */
export function openSdkDoor(): void {
  if (isOpen) return;
  isOpen = true;
  registerHooks({
    resolve: (specifier, context, next) => {
      const url = doors.get(specifier);
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
    },
  });
}
