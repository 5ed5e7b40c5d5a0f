import type { Log } from "../kit/log.ts";
import type { Intake, RunningSource } from "../sdk/intake.ts";
import type { NamedConnector } from "./open-connectors.ts";

export interface Sources {
  /** Starts new sources and stops removed ones; a replaced source ends before its successor starts. */
  readonly follow: (connectors: ReadonlyMap<string, NamedConnector>) => Promise<void>;
  /** A second call waits for the first. */
  readonly stop: () => Promise<void>;
}

/** Runs the sources of the connectors: polls and watched folders. */
export function runSources({ intakeOf, log }: { intakeOf: (name: string) => Intake; log: Log }): Sources {
  const running = new Map<string, { connector: NamedConnector; source: RunningSource }>();

  let stopping: Promise<void> | null = null;

  const end = async (name: string) => {
    const one = running.get(name);
    running.delete(name);
    try {
      await one?.source.stop();
    } catch (error) {
      log.error({ connector: name, err: error }, "a source could not be stopped properly");
    }
  };

  return {
    follow: async (connectors) => {
      // A reload that finishes while the adapter stops must not start a source: nothing would stop it.
      if (stopping !== null) return;
      const ended = [...running].filter(([name, { connector }]) => connectors.get(name) !== connector);
      await Promise.all(ended.map(([name]) => end(name)));
      for (const [name, one] of connectors) {
        const { source } = one.connector;
        if (running.has(name) || source === undefined) continue;
        running.set(name, { connector: one, source: source.start(intakeOf(name)) });
      }
    },
    stop: () => {
      stopping ??= Promise.all([...running.keys()].map(end)).then(() => {});
      return stopping;
    },
  };
}
