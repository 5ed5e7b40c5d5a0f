import { statSync } from "node:fs";
import { registerHooks } from "node:module";
import { basename, extname } from "node:path";
import { pathToFileURL } from "node:url";
import { moduleUrl } from "../../kit/module-url.ts";
import type { ConnectorDefinition } from "../../sdk/connector.ts";

const sdkModules = new Map([
  ["crossdock/sdk", moduleUrl("../../sdk/index", import.meta.url).href],
  ["crossdock/contract", moduleUrl("../../contract/index", import.meta.url).href],
]);

let isProvided = false;

/**
 * Resolves `crossdock/sdk` in a customer's file to the SDK of this program. Otherwise the file would need its own
 * node_modules folder, and its Fault class would differ from ours, so its faults would not be recognised.
 * Runs once per process, because module hooks are global.
 */
function provideSdk(): void {
  if (isProvided) return;
  isProvided = true;
  registerHooks({
    resolve: (specifier, context, next) => {
      const url = sdkModules.get(specifier);
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
    },
  });
}

/** The file is missing or is not a connector; the text is for its author. */
export class WrongModule extends Error {
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.name = "WrongModule";
    this.hint = hint;
  }
}

const example = 'End it with `export default defineConnector({ type, summary, options, open })` of "crossdock/sdk".';

/** The connector that a file exports. A changed file is loaded again. */
export async function loadDefinition(path: string): Promise<ConnectorDefinition> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile()) {
    throw new WrongModule(
      `there is no file ${path}`,
      "Relative paths start at the configuration's folder. `crossdock new connector NAME` creates one.",
    );
  }
  provideSdk();
  // The file's time is part of the URL: under the same URL, Node would return the module loaded before the change. The
  // URL has the file's extension at its end, because other loaders choose by it.
  const url = `${pathToFileURL(path).href}?changed=${found.mtimeMs}&${extname(path)}`;
  const loaded = (await import(/* @vite-ignore */ url).catch((error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    if (/outside a module|Unexpected token 'export'|import statement|require is not defined/.test(text)) {
      const problem = `${basename(path)} is loaded as CommonJS, because the nearest package.json has no "type": "module"`;
      const name = basename(path).replace(/\.[cm]?([jt]s)$/, ".m$1");
      throw new WrongModule(problem, `Add "type": "module" to that package.json, or rename the file to ${name}.`);
    }
    throw new WrongModule(`${basename(path)} cannot be loaded: ${text}`, `Try it by itself: node ${path}`);
    // A module may export anything; the default export is checked next.
  })) as { readonly default?: unknown };
  const definition = loaded.default;
  if (!isDefinition(definition)) {
    throw new WrongModule(`the default export of ${basename(path)} is not a connector`, example);
  }
  return definition;
}

function isDefinition(value: unknown): value is ConnectorDefinition {
  if (typeof value !== "object" || value === null) return false;
  // It is an object; its members are checked in the next line.
  const { type, options, open } = value as Partial<ConnectorDefinition>;
  return typeof type === "string" && typeof options === "object" && typeof open === "function";
}
