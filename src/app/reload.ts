import type { Outbox } from "../engine/outbox/outbox.ts";
import type { SqliteJournal } from "../journal/sqlite/open-sqlite-journal.ts";
import type { Log } from "../kit/log.ts";
import type { Config } from "./config-schema.ts";
import type { Deployment } from "./deployment.ts";
import type { LoadedConfig } from "./load-config.ts";
import type { BaseOpener } from "./open-base.ts";
import { embeddedOptionsOf } from "./open-connector.ts";
import type { NamedConnector } from "./open-connectors.ts";
import type { Sources } from "./run-sources.ts";
import type { Settings } from "./settings.ts";

export interface ReloadReport {
  /** Connectors that were opened anew. */
  readonly opened: readonly string[];
  readonly closed: readonly string[];
  /** Settings that have changed but hold only after a restart. */
  readonly needsRestart: readonly string[];
}

export interface ReloadNeeds {
  readonly settings: Settings;
  readonly deployment: Deployment;
  readonly bases: BaseOpener;
  readonly journal: Pick<SqliteJournal, "change">;
  readonly outbox: Pick<Outbox, "retarget">;
  readonly sources: Sources;
  readonly log: Log;
}

export interface Reloader {
  readonly reload: (loaded: Pick<LoadedConfig, "config" | "settings" | "describe">) => Promise<ReloadReport>;
  /** Ends what is still being closed. */
  readonly close: () => Promise<void>;
}

/** A call or a delivery that is still not over by then is cut off. */
const finishMs = 300_000;

/** Goes over from one configuration to the next, one at a time. */
export function reloader(needs: ReloadNeeds): Reloader {
  const { deployment, bases, journal, outbox, sources, log } = needs;
  const ending = new Map<NamedConnector, Promise<void>>();
  let last: Promise<unknown> = Promise.resolve();

  const run: Reloader["reload"] = async ({ config: wanted, settings, describe }) => {
    const before = deployment.current();
    const { basePath, bodyLimitMiB } = before.config;
    // These are built into the server; everything else follows the new file.
    const config = { ...wanted, basePath, bodyLimitMiB };
    const needsRestart = [...changedSettings(needs.settings, settings), ...fixedMembers(before.config, wanted)];
    const { opened, replaced, targets } = await deployment.change({ config, describe });
    outbox.retarget(targets);
    if (bookingOf(before.config) !== bookingOf(config)) {
      journal.change({ residentOptions: embeddedOptionsOf(config), emissionTarget: config.events.to });
    }
    const { base } = deployment.current();
    if (base !== before.base) bases.retire(before.base);
    await sources.follow(deployment.current().opened);
    for (const one of replaced) end(one);
    if (needsRestart.length > 0) log.warn({ settings: needsRestart }, "changed settings that need a restart");
    const closed = replaced.map(({ name }) => name).filter((name) => !opened.includes(name));
    log.info({ opened, closed }, "the new configuration holds");
    return { opened, closed, needsRestart };
  };

  const end = (one: NamedConnector) => {
    const closing = one.held
      .close(finishMs)
      .catch((error: unknown) => log.error({ connector: one.name, err: error }, "a connector could not be closed"))
      .finally(() => ending.delete(one));
    ending.set(one, closing);
  };

  return {
    reload: (loaded) => {
      const reloading = last.then(() => run(loaded));
      last = reloading.catch(() => {});
      return reloading;
    },
    close: async () => {
      await last;
      await Promise.all([...ending.keys()].map(({ held }) => held.close(0).catch(() => {})));
    },
  };
}

const bookingOf = (config: Config) => JSON.stringify([embeddedOptionsOf(config), config.events.to]);

const changedSettings = (now: Settings, next: Settings): string[] => [
  ...(now.port === next.port ? [] : ["PORT"]),
  ...(now.host === next.host ? [] : ["HOST"]),
  ...(now.dataFolder === next.dataFolder ? [] : ["CROSSDOCK_DATA_DIR"]),
];

const fixedMembers = (now: Config, next: Config): string[] => [
  ...(["basePath", "bodyLimitMiB"] as const).filter((name) => now[name] !== next[name]),
  ...(listenerOf(now) === listenerOf(next) ? [] : ["platform.tls"]),
];

/** Other files are read while running; whether there is TLS, and whether it asks for certificates, is not changed. */
const listenerOf = ({ platform: { tls } }: Config): string =>
  tls === undefined ? "plain" : tls.clientCa === undefined ? "tls" : "tls with client certificates";
