import { configDocument } from "../../config/document/config-document.ts";
import { ConfigError, type ConfigProblem, pathText } from "../../config/document/config-error.ts";
import { secretMask } from "../../config/document/resolve-text.ts";
import { editText, NotEditable } from "../../config/edit/edit-text.ts";
import { lineDiff } from "../../config/edit/line-diff.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { checkDeployment, checkOneConnector } from "../../runtime/check/check-deployment.ts";
import type { ReloadReport } from "../../runtime/reload.ts";
import type {
  AppliedChange,
  ConfigEditor,
  FoundProblem,
  GivenChange,
  Refusal,
  ShownConfig,
} from "../../server/workshop/config-editor.ts";
import { type ConfigFile, configFile, versionOf } from "./config-file.ts";
import { configValues, smallestChanges } from "./config-values.ts";
import { connectable } from "./connectable.ts";

/** Loads the configuration: from the file, or from a text that would replace its content. */
export type LoadConfiguration = (text?: string) => Promise<LoadedConfig>;

export interface ConfigEditorNeeds {
  /** Absent if the adapter was started by code. */
  readonly load: LoadConfiguration | undefined;
  /** The path of the file, even if it does not exist yet. */
  readonly path: string | null;
  readonly dataFolder: string;
  readonly current: () => LoadedConfig["config"];
  readonly reload: (loaded: LoadedConfig) => Promise<ReloadReport>;
  readonly clock: Clock;
  readonly log: Log;
}

type Given = Parameters<ConfigEditor["apply"]>[0];

/** Applies one change at a time. A change is refused as a whole if the adapter could not run with it. */
export function openConfigEditor(needs: ConfigEditorNeeds): ConfigEditor {
  const { load, dataFolder, current, clock, log } = needs;
  const file = needs.path === null ? null : configFile({ path: needs.path, dataFolder });
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Done>(run: () => Promise<Done>): Promise<Done> => {
    const done = last.then(run);
    // The caller gets the error; the next change must run nevertheless.
    last = done.catch(() => {});
    return done;
  };
  const readOnlyBecause = async () =>
    load === undefined || file === null ? "started-by-code" : await file.readOnlyBecause();
  const text = () => file?.read() ?? "";

  /** The changed text, and what would be loaded from it. */
  const changed = async (changes: readonly GivenChange[]): Promise<Changed | Refusal> => {
    if (load === undefined) return { refused: whyReadOnly["started-by-code"] };
    const before = text();
    try {
      const value = configDocument(before, "").value;
      const wanted = smallestChanges(value, changes.map(withValue));
      const after = editText(
        before,
        wanted.map(({ path, value: to }) => ({ path, value: to })),
      );
      return { before, after, ...(await loadedOf(load, after)) };
    } catch (error) {
      if (error instanceof NotEditable) return { refused: error.message };
      if (error instanceof ConfigError) return { problems: error.problems.map(shownProblem) };
      throw error;
    }
  };

  /** Writes the file and puts it into effect; if that fails, the file is restored. */
  const take = async (after: string, { operator, reason }: Pick<Given, "operator" | "reason">, target: Writable) => {
    const { loaded } = target;
    let undo: () => Promise<void>;
    try {
      undo = await target.file.replace(after, { operator, reason, at: new Date(clock.now()) });
    } catch (error) {
      // A single file that is mounted into a container can be written to, but not replaced.
      log.warn({ file: target.file.path, error }, "the configuration file could not be written from the console");
      return { refused: whyReadOnly["no-permission"] };
    }
    try {
      const report = await needs.reload(loaded);
      log.warn({ operator, reason, file: target.file.path }, "the configuration was changed from the console");
      return { version: versionOf(after), ...report } satisfies AppliedChange;
    } catch (error) {
      await undo();
      if (error instanceof ConfigError) return { problems: error.problems.map(shownProblem) };
      return { refused: `The change was taken back: ${error instanceof Error ? error.message : String(error)}` };
    }
  };

  const write = async (request: Omit<Given, "changes">, next: () => Promise<Changed | Refusal>) =>
    await inTurn(async (): Promise<AppliedChange | Refusal> => {
      const isReadOnly = await readOnlyBecause();
      if (isReadOnly !== null || file === null) return { refused: whyReadOnly[isReadOnly ?? "started-by-code"] };
      if (request.version !== versionOf(text())) {
        return { refused: "The file has changed meanwhile. Look at it again, then repeat the change." };
      }
      const result = await next();
      if (!("after" in result) || result.loaded === null) return refusalOf(result);
      return await take(result.after, request, { file, loaded: result.loaded });
    });

  return {
    show: async () => {
      const now = text();
      // Also masks secrets of the configuration in effect, which has values that no file contains, such as those given
      // by code.
      const mask = maskFor(now, { config: current() });
      const common = {
        file: file?.path ?? null,
        text: mask(now),
        version: versionOf(now),
        readOnlyBecause: await readOnlyBecause(),
      };
      try {
        return { ...common, values: configValues(now, current(), mask), problems: [] };
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return { ...common, values: [], problems: error.problems.map(shownProblem) };
      }
    },
    connectable: async () => connectable(),
    propose: async (changes) => {
      const result = await changed(changes);
      if (!("after" in result)) return result;
      const { before, after, problems, loaded } = result;
      const mask = maskFor(after, loaded);
      const diff = lineDiff(before, after).map(mask);
      return { version: versionOf(before), diff, text: mask(after), problems };
    },
    tryConnector: async (changes, asked) => {
      const result = await changed(changes);
      if (!("after" in result) || result.loaded === null) return refusalOf(result);
      const checked = await checkOneConnector(result.loaded, asked);
      if (checked === null) return { refused: `There is no connector ${JSON.stringify(asked.name)}.` };
      return masked(checked, maskFor(result.after, result.loaded));
    },
    check: async ({ records }) => {
      if (load === undefined) return { refused: whyReadOnly["started-by-code"] };
      const now = text();
      const { loaded, problems } = await loadedOf(load, now === "" ? undefined : now);
      // The file was changed by hand and is invalid now; the adapter continues with what it read before.
      if (loaded === null) return { ok: false, problems, warnings: [], connectors: [] };
      return masked(await checkDeployment(loaded, { records }), maskFor(now, loaded));
    },
    apply: (request) => write(request, () => changed(request.changes)),
    history: async () => file?.history() ?? [],
    back: (request) =>
      write(request, async () => {
        const before = file?.before() ?? null;
        if (before === null || load === undefined) return { refused: "There is no earlier state to return to." };
        return { before: text(), after: before, ...(await loadedOf(load, before)) };
      }),
    keepSecret: async (name, value) => {
      const isReadOnly = await readOnlyBecause();
      if (isReadOnly !== null || file === null) return { refused: whyReadOnly[isReadOnly ?? "started-by-code"] };
      return { reference: await file.keepSecret(name, value) };
    },
  };
}

/** Returns the change with its YAML as a value. Throws a ConfigError if the YAML cannot be read. */
const withValue = ({ path, value, yaml }: GivenChange): GivenChange =>
  yaml === undefined ? { path, value } : { path, value: configDocument(yaml, pathText(path)).value ?? undefined };

interface Changed {
  readonly before: string;
  readonly after: string;
  /** Null if there are problems. */
  readonly loaded: LoadedConfig | null;
  readonly problems: readonly FoundProblem[];
}

interface Writable {
  readonly file: ConfigFile;
  readonly loaded: LoadedConfig;
}

async function loadedOf(
  load: LoadConfiguration,
  text: string | undefined,
): Promise<Pick<Changed, "loaded" | "problems">> {
  try {
    return { loaded: await load(text), problems: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { loaded: null, problems: error.problems.map(shownProblem) };
  }
}

const refusalOf = (result: Changed | Refusal): Refusal =>
  "refused" in result ? result : { problems: result.problems };

const shownProblem = ({ line, column, text, message, hint }: ConfigProblem): FoundProblem => ({
  ...(line === undefined ? {} : { line }),
  ...(column === undefined ? {} : { column }),
  text,
  ...(message === undefined ? {} : { message }),
  ...(hint === undefined ? {} : { hint }),
});

/** Returns a function that masks the secrets that a text contains or refers to. */
function maskFor(
  text: string,
  loaded: (Pick<LoadedConfig, "config"> & Partial<Pick<LoadedConfig, "redact">>) | null,
): (shown: string) => string {
  const secrets = secretMask();
  try {
    secrets.learn(configDocument(text, "").value, loaded?.redact);
  } catch {
    // A text that is not YAML cannot be searched for secrets, so nothing of it is shown.
    return () => "";
  }
  if (loaded !== null) secrets.learn(loaded.config, loaded.redact);
  return secrets.mask;
}

// Masked as text, so that no member is missed. The text is JSON before and after.
const masked = (value: object, mask: (text: string) => string): object =>
  JSON.parse(mask(JSON.stringify(value))) as object;

const whyReadOnly: Readonly<Record<NonNullable<ShownConfig["readOnlyBecause"]>, string>> = {
  "started-by-code": "This adapter was started without a configuration file that it could change.",
  "no-permission": "The adapter may not write its configuration file. Copy the change into the file.",
  "kept-in-git": "The configuration file is kept in git. Copy the change into the file and commit it.",
};
