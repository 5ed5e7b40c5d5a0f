import { setImmediate as nextTurn } from "node:timers/promises";
import type { Config } from "../../config/config-schema.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { ConfigEditor } from "../../server/workshop/config-editor.ts";
import type { ConfigSource } from "./drafts/config-source.ts";
import type { ConfigEditorNeeds, openConfigEditor } from "./open-config-editor.ts";
import { openFloorControl } from "./open-floor-control.ts";

export interface ConsoleToolNeeds
  extends Pick<ConfigEditorNeeds, "reload" | "dataFolder" | "clock" | "timers" | "log"> {
  readonly configuration?: { readonly path: string; readonly source: ConfigSource };
  readonly program?: string | undefined;
  readonly apiKey: string;
  readonly current: () => Config;
  /** The address the adapter listens on. */
  readonly url: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** What only the console uses: the configuration for people, and the tools that can be run against this adapter. */
export function consoleTools(needs: ConsoleToolNeeds) {
  const { reload, dataFolder, clock, timers, log, configuration, current } = needs;
  let editor: Promise<ReturnType<typeof openConfigEditor>> | null = null;
  const openEditor = async () => {
    const { openConfigEditor: open } = await import("./open-config-editor.ts");
    // Loading it takes a while, so other requests run before it is used.
    await nextTurn();
    const { source, path = null } = configuration ?? {};
    return open({ dataFolder, clock, timers, log, reload, source, path, current });
  };
  return {
    /** Loaded when the console first asks for it, so that the start does not load the YAML library. */
    config: (): Promise<ConfigEditor> => {
      editor ??= openEditor();
      return editor;
    },
    close: async () => {
      await (await editor)?.close();
    },
    floor: () =>
      openFloorControl({
        ...{ apiKey: needs.apiKey, clock, program: needs.program },
        // The tools run on this machine, so they reach an adapter that listens on all networks at 127.0.0.1.
        url: () => needs.url().replace(/\/\/(0\.0\.0\.0|\[::\])/, "//127.0.0.1"),
        isProduction: () => current().console.production,
      }),
  };
}
