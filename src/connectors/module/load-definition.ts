import { statSync } from "node:fs";
import { registerHooks } from "node:module";
import { basename, extname } from "node:path";
import { pathToFileURL } from "node:url";
import { moduleUrl } from "../../kit/module-url.ts";
import type { ConnectorDefinition } from "../../sdk/connector.ts";

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
function openSdkDoor(): void {
  if (isOpen) return;
  isOpen = true;
  registerHooks({
    resolve: (specifier, context, next) => {
      const url = doors.get(specifier);
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
    },
  });
}

/** The file is there or not, but it is no connector; the text is for the one who wrote it. */
export class WrongModule extends Error {
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.name = "WrongModule";
    this.hint = hint;
  }
}

const example = 'End it with `export default defineConnector({ type, summary, options, open })` of "crossdock/sdk".';

/** The connector that a file exports. A file that has changed since is loaded anew. */
export async function loadDefinition(path: string): Promise<ConnectorDefinition> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile()) {
    throw new WrongModule(
      `there is no file ${path}`,
      "Relative paths are meant from the configuration's folder. `crossdock new connector NAME` makes one.",
    );
  }
  openSdkDoor();
  // The time stands in the address: under the same one Node would give back what it loaded before the change. The
  // address ends like the file: loaders other than Node's own go by that.
  const url = `${pathToFileURL(path).href}?changed=${found.mtimeMs}&${extname(path)}`;
  const loaded = (await import(/* @vite-ignore */ url).catch((error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    if (/outside a module|Unexpected token 'export'|import statement|require is not defined/.test(text)) {
      const said = `${basename(path)} is taken for CommonJS, because the nearest package.json says so or says nothing`;
      const name = basename(path).replace(/\.[cm]?([jt]s)$/, ".m$1");
      throw new WrongModule(said, `Write "type": "module" into that package.json, or call the file ${name}.`);
    }
    throw new WrongModule(`${basename(path)} cannot be loaded: ${text}`, `Try it by itself: node ${path}`);
    // A module has whatever it exports; the default is checked next.
  })) as { readonly default?: unknown };
  const definition = loaded.default;
  if (!isDefinition(definition)) {
    throw new WrongModule(`the default export of ${basename(path)} is no connector`, example);
  }
  return definition;
}

function isDefinition(value: unknown): value is ConnectorDefinition {
  if (typeof value !== "object" || value === null) return false;
  // An object, whose members are looked at in the next line.
  const { type, options, open } = value as Partial<ConnectorDefinition>;
  return typeof type === "string" && typeof options === "object" && typeof open === "function";
}
