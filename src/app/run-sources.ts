import type { Log } from "../kit/log.ts";
import type { Intake, RunningSource } from "../sdk/intake.ts";
import type { HeldConnector } from "./held-connector.ts";
import type { NamedConnector } from "./open-connectors.ts";

export interface Sources {
  /** Starts those that do not run yet and stops those that are gone; a replaced one ends before its successor begins. */
  readonly follow: (connectors: ReadonlyMap<string, NamedConnector>) => Promise<void>;
  /** Called again, waits for the first. */
  readonly stop: () => Promise<void>;
}

/** Lets connectors bring in what they find by themselves. */
export function runSources({ intakeOf, log }: { intakeOf: (name: string) => Intake; log: Log }): Sources {
  const running = new Map<string, { held: HeldConnector; source: RunningSource }>();

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
      const ended = [...running].filter(([name, { held }]) => connectors.get(name)?.held !== held);
      await Promise.all(ended.map(([name]) => end(name)));
      for (const [name, { held }] of connectors) {
        if (running.has(name) || held.connector.source === undefined) continue;
        running.set(name, { held, source: held.connector.source.start(intakeOf(name)) });
      }
    },
    stop: () => {
      stopping ??= Promise.all([...running.keys()].map(end)).then(() => {});
      return stopping;
    },
  };
}
