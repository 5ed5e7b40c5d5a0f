import type { Config } from "../../config/config-schema.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { ConfigDesk } from "../../server/workshop/config-desk.ts";
import { openFloorDesk } from "./floor-desk.ts";
import type { ConfigDeskNeeds, LoadConfiguration } from "./open-config-desk.ts";

export interface ConsoleDeskNeeds extends Pick<ConfigDeskNeeds, "reload" | "dataFolder" | "clock" | "log"> {
  readonly configuration?: { readonly path: string; readonly load: LoadConfiguration };
  readonly program?: string | undefined;
  readonly apiKey: string;
  readonly current: () => Config;
  /** The address the adapter listens on. */
  readonly url: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** What only the console uses: the configuration for people, and the tools that can be run against this adapter. */
export function consoleDesks(needs: ConsoleDeskNeeds) {
  const { reload, dataFolder, clock, log, configuration, current } = needs;
  let desk: Promise<ConfigDesk> | null = null;
  const openDesk = async () => {
    const { openConfigDesk } = await import("./open-config-desk.ts");
    const { load, path = null } = configuration ?? {};
    return openConfigDesk({ dataFolder, clock, log, reload, load, path, current });
  };
  return {
    /** Loaded when the console first asks for it, so that the start does not load the YAML library. */
    config: (): Promise<ConfigDesk> => {
      desk ??= openDesk();
      return desk;
    },
    floor: () =>
      openFloorDesk({
        ...{ apiKey: needs.apiKey, clock, program: needs.program },
        // The tools run on this machine, so they reach an adapter that listens on all networks at 127.0.0.1.
        url: () => needs.url().replace(/\/\/(0\.0\.0\.0|\[::\])/, "//127.0.0.1"),
        isProduction: () => current().console.production,
      }),
  };
}
