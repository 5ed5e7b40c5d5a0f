import { writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes a customer's connector with the given operations into a file. `name` is its only option. Its operations may
 * record their calls in `state.told`.
 */
export function moduleFile(folder: string, operations: string, more = ""): string {
  const path = join(folder, "mine.ts");
  writeFileSync(
    path,
    `import { defineConnector, Fault, ok, refuse, Type } from "crossdock/sdk";
export const state = ((globalThis as any)[${JSON.stringify(path)}] ??= { opened: [], closed: [], told: [], gate: null });
export default defineConnector({
  type: "mine",
  summary: "Answers with its name.",
  options: Type.Object({ name: Type.String({ default: "mine" }) }),
  open: ({ name }) => {
    state.opened.push(name);
    return {
      operations: { ${operations} },
      ${more}
      check: async () => {},
      close: async () => void state.closed.push(name),
    };
  },
});
`,
  );
  return path;
}

export interface ModuleState {
  readonly opened: string[];
  readonly closed: string[];
  readonly told: unknown[];
  /** A test sets it to make calls wait. */
  gate: Promise<void> | null;
}

// The file above has stored it there. It is all that the tests and the file share.
export const moduleState = (path: string): ModuleState =>
  (globalThis as never as Record<string, ModuleState>)[path] as ModuleState;
