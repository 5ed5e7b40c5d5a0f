import { ConfigError, type Objection } from "../../../config/document/config-error.ts";
import type { LoadedConfig } from "../../../config/load-config.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import type { ConfigSource } from "./config-source.ts";
import { draftsThread } from "./drafts-thread.ts";
import { withFunctions } from "./plain-config.ts";

export interface ReloadInThreadNeeds {
  readonly source: ConfigSource;
  readonly timers: Timers;
  /** Puts the configuration into effect. */
  readonly reload: (loaded: LoadedConfig) => Promise<unknown>;
}

/**
 * Reads the configuration again in a thread of its own, and puts it into effect. A file of a megabyte takes seconds to
 * read, and events must not wait for it. Throws a ConfigError that lists every problem with its place in the file.
 */
export async function reloadInThread({ source, timers, reload }: ReloadInThreadNeeds): Promise<LoadedConfig> {
  const drafts = draftsThread(source, timers);
  try {
    const read = await drafts.read(undefined);
    if ("problems" in read) throw new ConfigError(read.problems);
    const found: Objection[] = [];
    const loaded = withFunctions(read.loaded, found);
    try {
      await reload(loaded);
    } catch (error) {
      if (!(error instanceof ConfigError) || found.length === 0) throw error;
      throw new ConfigError(await drafts.describe(found));
    }
    return loaded;
  } finally {
    await drafts.close();
  }
}
