import type { Config } from "../config/config-schema.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import type { Settings } from "../config/settings.ts";
import type { Outbox } from "../engine/delivery/outbox.ts";
import type { SqliteJournal } from "../journal/sqlite/open-sqlite-journal.ts";
import type { CurrentSnapshot } from "../kit/current-snapshot.ts";
import type { Log } from "../kit/log.ts";
import type { Intake, RunningSource } from "../sdk/intake.ts";
import { embeddedOptionsOf } from "./open-base.ts";
import type { NamedConnector } from "./open-connectors.ts";
import type { OpenParts, Snapshot, Wanted } from "./snapshot.ts";

interface Sources {
  /** Starts new sources and stops removed ones. A replaced source ends before its successor starts. */
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

export interface ReloadReport {
  /** Connectors that were opened again. */
  readonly opened: readonly string[];
  readonly closed: readonly string[];
  /** Changed settings that take effect only after a restart. */
  readonly needsRestart: readonly string[];
}

export interface ReloadNeeds {
  readonly settings: Settings;
  readonly runtime: CurrentSnapshot<Snapshot>;
  readonly open: (wanted: Wanted, before: Snapshot) => Promise<OpenParts>;
  readonly make: (parts: OpenParts, before: Snapshot) => Snapshot;
  readonly journal: Pick<SqliteJournal, "change">;
  readonly outbox: Pick<Outbox, "retarget">;
  readonly sources: Sources;
  readonly log: Log;
}

export interface Reloader {
  readonly reload: (loaded: Pick<LoadedConfig, "config" | "settings" | "describe">) => Promise<ReloadReport>;
  /** Waits for a running reload. */
  readonly close: () => Promise<void>;
}

/** Switches from one configuration to the next, one reload at a time. */
export function reloader(needs: ReloadNeeds): Reloader {
  const { runtime, journal, outbox, sources, log } = needs;
  let last: Promise<unknown> = Promise.resolve();

  const run: Reloader["reload"] = async ({ config: wanted, settings, describe }) => {
    const before = runtime.current();
    const { basePath, bodyLimitMiB } = before.config;
    // The server is created with these two settings, which cannot change while it runs.
    const config = { ...wanted, basePath, bodyLimitMiB };
    const needsRestart = [...changedSettings(needs.settings, settings), ...fixedMembers(before.config, wanted)];
    const parts = await needs.open({ config, describe }, before);
    // No `await` from here to `retarget`: every request and delivery must get either the old snapshot or the new one.
    const next = needs.make(parts, before);
    runtime.replace(next);
    outbox.retarget(next.targets);
    const booking = bookingOf(next);
    if (JSON.stringify(bookingOf(before)) !== JSON.stringify(booking)) journal.change(booking);
    await sources.follow(next.opened);
    // Retired after the sources were switched: sources use connectors of the old snapshot and are not counted as users.
    runtime.retire(before);
    if (needsRestart.length > 0) log.warn({ settings: needsRestart }, "changed settings that need a restart");
    const opened = [...next.opened.values()].filter((one) => before.opened.get(one.name) !== one);
    const closed = [...before.opened.keys()].filter((name) => !next.opened.has(name));
    const report = { opened: opened.map(({ name }) => name), closed, needsRestart };
    log.info({ opened: report.opened, closed }, "the new configuration is in effect");
    return report;
  };

  return {
    reload: (loaded) => {
      const reloading = last.then(() => run(loaded));
      // The caller gets the error; the next reload must run nevertheless.
      last = reloading.catch(() => {});
      return reloading;
    },
    close: async () => {
      await last;
    },
  };
}

/** What the writer needs from a configuration. The opened connectors decide which events are derived. */
export const bookingOf = ({ config, derived }: Pick<OpenParts, "config" | "derived">) => ({
  projectionOptions: {
    ...embeddedOptionsOf(config),
    ...(Object.keys(derived).length === 0 ? {} : { derivedEvents: derived }),
  },
  emissionTarget: config.events.to,
});

const changedSettings = (now: Settings, next: Settings): string[] => [
  ...(now.port === next.port ? [] : ["PORT"]),
  ...(now.host === next.host ? [] : ["HOST"]),
  ...(now.dataFolder === next.dataFolder ? [] : ["CROSSDOCK_DATA_DIR"]),
  // These two may come from files, which are replaced while the adapter runs. A key that is not given was generated.
  ...(next.apiKey === undefined || now.apiKey === next.apiKey ? [] : ["CROSSDOCK_API_KEY"]),
  ...(next.store === undefined || now.store === next.store ? [] : ["CROSSDOCK_STORE"]),
];

const fixedMembers = (now: Config, next: Config): string[] => [
  // With its password: a replaced one is not used before the restart.
  ...(["basePath", "bodyLimitMiB", "store"] as const).filter((name) => now[name] !== next[name]),
  ...(listenerOf(now) === listenerOf(next) ? [] : ["platform.tls"]),
];

/**
 * Changed certificate files are read while the adapter runs. Switching TLS or client certificates on or off needs a
 * restart.
 */
const listenerOf = ({ platform: { tls } }: Config): string =>
  tls === undefined ? "plain" : tls.clientCa === undefined ? "tls" : "tls with client certificates";
