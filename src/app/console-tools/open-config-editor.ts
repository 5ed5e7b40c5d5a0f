import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ConfigError, type Objection } from "../../config/document/config-error.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { ReloadReport } from "../../runtime/reload.ts";
import type { AppliedChange, ConfigEditor, Refusal, ShownConfig } from "../../server/workshop/config-editor.ts";
import { type ConfigFile, configFile, versionOf, whyNotWritten } from "./config-file.ts";
import type { Changed } from "./drafts/config-drafts.ts";
import type { ConfigSource } from "./drafts/config-source.ts";
import { draftsThread } from "./drafts/drafts-thread.ts";
import { type PlainConfig, withFunctions } from "./drafts/plain-config.ts";
import { shownProblems } from "./drafts/shown-problems.ts";

export interface ConfigEditorNeeds {
  /** Absent if the adapter was started by code. */
  readonly source: ConfigSource | undefined;
  /** The path of the file, even if it does not exist yet. */
  readonly path: string | null;
  readonly dataFolder: string;
  readonly current: () => LoadedConfig["config"];
  readonly reload: (loaded: LoadedConfig) => Promise<ReloadReport>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

type Given = Parameters<ConfigEditor["apply"]>[0];

/** Applies one change at a time. A change is refused as a whole if the adapter could not run with it. */
export function openConfigEditor(needs: ConfigEditorNeeds): ConfigEditor & { readonly close: () => Promise<void> } {
  const { source, dataFolder, current, clock, log } = needs;
  const file = needs.path === null ? null : configFile({ path: needs.path, dataFolder });
  const drafts = draftsThread(source ?? { env: {}, cwd: dataFolder }, needs.timers);
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Done>(run: () => Promise<Done>): Promise<Done> => {
    const done = last.then(run);
    // The caller gets the error; the next change must run nevertheless.
    last = done.catch(() => {});
    return done;
  };
  const readOnlyBecause = async () =>
    source === undefined || file === null ? "started-by-code" : await file.readOnlyBecause();
  const text = () => file?.read() ?? "";
  const byCode = { refused: whyReadOnly["started-by-code"] };

  const notWritten = (path: string, error: unknown): Refusal => {
    log.warn({ file: path, error }, "the configuration file could not be written from the console");
    return { refused: whyNotWritten(error) };
  };

  /** Writes the file and puts it into effect; if that fails, the file is restored. */
  const take = async (after: string, { operator, reason }: Pick<Given, "operator" | "reason">, target: Writable) => {
    let replaced: Awaited<ReturnType<ConfigFile["replace"]>>;
    try {
      replaced = await target.file.replace(after, { operator, reason, at: new Date(clock.now()) });
    } catch (error) {
      // A single file that is mounted into a container can be written to, but not replaced.
      return notWritten(target.file.path, error);
    }
    const found: Objection[] = [];
    try {
      const report = await needs.reload(withFunctions(target.loaded, found));
      replaced.keep();
      log.warn({ operator, reason, file: target.file.path }, "the configuration was changed from the console");
      return { version: versionOf(after), ...report } satisfies AppliedChange;
    } catch (error) {
      await replaced.undo();
      if (!(error instanceof ConfigError)) {
        return { refused: `The change was taken back: ${error instanceof Error ? error.message : String(error)}` };
      }
      const problems =
        found.length === 0 ? shownProblems(error.problems) : await drafts.place({ text: after, objections: found });
      return { problems };
    }
  };

  const write = async (request: Omit<Given, "changes">, next: (now: string) => Promise<Changed | Refusal>) =>
    await inTurn(async (): Promise<AppliedChange | Refusal> => {
      const isReadOnly = await readOnlyBecause();
      if (isReadOnly !== null || file === null) return { refused: whyReadOnly[isReadOnly ?? "started-by-code"] };
      const now = text();
      if (request.version !== versionOf(now)) {
        return { refused: "The file has changed meanwhile. Look at it again, then repeat the change." };
      }
      const result = await next(now);
      if (!("after" in result)) return result;
      if (result.loaded === null) return { problems: result.problems };
      return await take(result.after, request, { file, loaded: result.loaded });
    });

  return {
    show: async () => {
      const now = text();
      const isReadOnly = await readOnlyBecause();
      const shown = await drafts.show({ text: now, config: current() });
      return { file: file?.path ?? null, version: versionOf(now), readOnlyBecause: isReadOnly, ...shown };
    },
    connectable: async () => {
      const { connectable } = await import("./connectable.ts");
      // Loading it takes a while, so other requests run before it is used.
      await nextTurn();
      return connectable();
    },
    propose: async (changes) => {
      if (source === undefined) return byCode;
      const now = text();
      const proposed = await drafts.propose({ text: now, changes });
      return "diff" in proposed ? { version: versionOf(now), ...proposed } : proposed;
    },
    tryConnector: async (changes, asked) =>
      source === undefined ? byCode : await drafts.tryConnector({ text: text(), changes, ...asked }),
    check: async ({ records }) => (source === undefined ? byCode : await drafts.check({ text: text(), records })),
    apply: (request) => write(request, (now) => drafts.change({ text: now, changes: request.changes })),
    history: async () => file?.history() ?? [],
    back: (request) =>
      write(request, async () => {
        const before = file?.before() ?? null;
        if (before === null) return { refused: "There is no earlier state to return to." };
        return await drafts.load({ text: before });
      }),
    keepSecret: (name, value) =>
      // One at a time: two would find the same name free.
      inTurn(async () => {
        const isReadOnly = await readOnlyBecause();
        if (isReadOnly !== null || file === null) return { refused: whyReadOnly[isReadOnly ?? "started-by-code"] };
        try {
          return { reference: await file.keepSecret(name, value) };
        } catch (error) {
          return notWritten(join(dirname(file.path), "secrets"), error);
        }
      }),
    close: drafts.close,
  };
}

interface Writable {
  readonly file: ConfigFile;
  readonly loaded: PlainConfig;
}

const whyReadOnly: Readonly<Record<NonNullable<ShownConfig["readOnlyBecause"]>, string>> = {
  "started-by-code": "This adapter was started without a configuration file that it could change.",
  "no-permission": whyNotWritten(null),
  "kept-in-git": "The configuration file is kept in git. Copy the change into the file and commit it.",
};
