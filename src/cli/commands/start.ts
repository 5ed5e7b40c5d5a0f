import { resolve } from "node:path";
import type { OpenLog } from "../../app/console-output/open-log.ts";
import type { ConfigSource } from "../../app/console-tools/drafts/config-source.ts";
import type { RunningDeployments } from "../../app/deployments/start-deployments.ts";
import type { OpenAdapterLog } from "../../app/log/open-adapter-log.ts";
import type { Reloaded, RunningAdapter, StartOptions } from "../../app/start.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import { systemClock } from "../../kit/time/clock.ts";
import { systemTimers } from "../../kit/time/timers.ts";
import { defineCommand, type Terminal } from "../command.ts";
import { startFailure } from "../start-failure.ts";

const closeWithinMs = 4_800;
/** Closing many deployments takes longer than one. A service manager waits at least ten seconds. */
const closeAllWithinMs = 9_500;
/** The same if other processes share the deployments: before, it waits until they have taken over. */
const leaveWithinMs = 38_000;

export const startCommand = defineCommand({
  name: "start",
  summary: "start the adapter",
  details:
    "Serves the contract on the embedded system. Settings come from crossdock.yaml in this folder, if it exists, " +
    "and from the environment; the options below take precedence. SIGHUP reloads the configuration without dropping a request. " +
    "SIGTERM or Ctrl+C finishes running requests and stops.",
  arguments: [],
  options: {
    config: { value: "FILE", description: "configuration file (else CROSSDOCK_CONFIG, else crossdock.yaml)" },
    data: { value: "FOLDER", description: "folder of the database and the key (else CROSSDOCK_DATA_DIR, else data)" },
    host: { value: "ADDRESS", description: "address to listen on (else HOST, else 127.0.0.1)" },
    port: { value: "NUMBER", description: "port to listen on, 0 for a free one (else PORT, else 8080)" },
  },
  examples: [
    { command: "crossdock start", does: "starts with a sample warehouse on http://127.0.0.1:8080" },
    { command: "crossdock start --config erp.yaml --port 9000", does: "starts with your own configuration" },
    { command: "CROSSDOCK_SAMPLE=false crossdock start", does: "starts with an empty warehouse" },
  ],
  run: async ({ options, terminal }) => {
    const [{ defaultFile, loadConfig }, { secretCommands }, { followSecrets }] = await Promise.all([
      import("../../config/load-config.ts"),
      import("../../config/secrets/secret-commands.ts"),
      import("../../config/secrets/follow-secrets.ts"),
    ]);
    const { env, cwd } = terminal;
    const commands = secretCommands(env);
    const { config: file, data, host, port } = options;
    const from = { file, options: { data, host, port }, env, cwd };
    const loaded = await loadConfig({ ...from, commands });
    const { config, settings, source, describe, redact } = loaded;
    const [
      { apiKey },
      { banner },
      { openLog },
      { openAdapterLog },
      { versionInfo },
      { notifyServiceManager },
      { start },
      { startReplicated },
      { tuneGarbageCollection },
    ] = await Promise.all([
      import("../../app/api-key.ts"),
      import("../../app/console-output/banner.ts"),
      import("../../app/console-output/open-log.ts"),
      import("../../app/log/open-adapter-log.ts"),
      import("../../app/version-info.ts"),
      import("../../app/service-manager/notify-service-manager.ts"),
      import("../../app/start.ts"),
      import("../../app/replicated/start-replicated.ts"),
      import("../../app/openers/tune-garbage-collection.ts"),
    ]);
    const { dataFolder } = settings;
    let key: ReturnType<typeof apiKey>;
    try {
      key = apiKey({ given: settings.apiKey, dataFolder });
    } catch (error) {
      throw startFailure(error, settings);
    }
    const { timeZone } = config;
    const sink = openLog({ timeZone, colour: terminal.colour });
    const lines = openAdapterLog({ log: sink, config, clock: systemClock, redact });
    const { log } = lines;
    const stopped = terminal.untilStopped();
    const configuration = { path: source ?? resolve(cwd, defaultFile), source: { ...from, env: { ...env } } };
    const reloads = reloadOnDemand({ source: configuration.source, lines, loaded });
    // Before the start: without a handler the signal would end the process.
    terminal.onReload?.(reloads.request);
    const given = {
      config,
      settings: { ...settings, apiKey: key.key },
      describe,
      redact,
      log: sink,
      configuration,
      program: process.argv[1],
    };
    const store = settings.store ?? config.store;
    const { deployments } = config;
    const begin =
      deployments !== undefined
        ? startMany(given, { deployments, store, source: configuration.path, terminal })
        : store === undefined
          ? start({ ...given, onReloaded: reloads.took })
          : startReplicated({ ...given, store, onReloaded: reloads.took });
    const running = await begin.catch((error: unknown) => {
      sink.flush();
      throw startFailure(error, settings);
    });
    tuneGarbageCollection();
    reloads.begin(running);
    const stopFollowing = followSecrets({
      ...{ commands, timers: systemTimers, sources: reloads.secretSources },
      onChanged: () => {
        log.info({}, "a secret was replaced: the configuration is read again");
        reloads.request();
      },
    });
    const { url, sample } = running;
    const facts = { version: versionInfo().version, url, apiKey: key, dataFolder, configFile: source };
    terminal.print(
      banner(sample === null ? { ...facts, deployments: countIn(running) } : { ...facts, sample }, {
        colour: terminal.colour,
        isInteractive: terminal.isInteractive,
      }),
    );

    const isOfUse = () => !("needsRestart" in running && running.needsRestart());
    const manager = notifyServiceManager({ env: terminal.env, isOfUse, log });
    manager.ready(`serving ${url}`);

    const signal = await Promise.race([stopped, "failed" in running ? running.failed : stopped]);
    log.info({ signal }, "stopping");
    manager.stopping();
    stopFollowing();
    const closed = await closedInTime(
      running.close(),
      config.deployments === undefined ? closeWithinMs : store === undefined ? closeAllWithinMs : leaveWithinMs,
    );
    if (closed) log.info({}, "stopped");
    else log.warn({}, "stopped before everything was closed");
    sink.flush();
    return closed ? "ok" : "failed";
  },
});

const countIn = (running: object | { deploymentsView: RunningDeployments["deploymentsView"] }): number | undefined =>
  "deploymentsView" in running ? running.deploymentsView().length : undefined;

/** One process for all deployments of a folder. */
async function startMany(
  given: Pick<StartOptions, "config" | "settings" | "program"> & { readonly log: OpenLog },
  {
    deployments,
    store,
    source,
    terminal,
  }: {
    deployments: NonNullable<StartOptions["config"]["deployments"]>;
    store: string | undefined;
    source: string;
    terminal: Pick<Terminal, "env" | "cwd">;
  },
) {
  const { startDeployments } = await import("../../app/deployments/start-deployments.ts");
  const { env, cwd } = terminal;
  return await startDeployments({ ...given, config: { ...given.config, deployments }, source, env, cwd, store });
}

/** A reload requested during the start runs after it. */
function reloadOnDemand(needs: { source: ConfigSource; lines: OpenAdapterLog; loaded: LoadedConfig }) {
  const { source, lines } = needs;
  const { log } = lines;
  let inEffect: Reloaded = needs.loaded;
  let running: Pick<RunningAdapter, "reload"> | null = null;
  let isRequested = false;
  let last: Promise<void> = Promise.resolve();
  /** Follows the configuration in effect, which the console changes as well. */
  const took = (loaded: Reloaded) => {
    if (loaded === inEffect) return;
    inEffect = loaded;
    lines.learn(loaded.config, loaded.redact);
    lines.configure(loaded.config);
  };
  const reload = async (adapter: Pick<RunningAdapter, "reload">) => {
    try {
      const { reloadInThread } = await import("../../app/console-tools/drafts/reload-in-thread.ts");
      took(await reloadInThread({ source, timers: systemTimers, reload: adapter.reload }));
    } catch (error) {
      const { refusalFields } = await import("../../config/document/config-error.ts");
      log.error(refusalFields(error), "the new configuration is refused as a whole; the old one stays in effect");
    }
  };
  /** One at a time: the file as it was read last must be the one in effect. */
  const reloadNext = (adapter: Pick<RunningAdapter, "reload">) => {
    last = last.then(() => reload(adapter));
  };
  return {
    request: () => {
      if (running === null) isRequested = true;
      else reloadNext(running);
    },
    took,
    secretSources: () => inEffect.secretSources ?? needs.loaded.secretSources,
    begin: (adapter: Pick<RunningAdapter, "reload">) => {
      running = adapter;
      if (isRequested) reloadNext(adapter);
    },
  };
}

/**
 * A time limit for closing: a service manager would kill the process later anyway, and all answered data is on disk.
 */
async function closedInTime(closing: Promise<void>, withinMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), withinMs);
  });
  const closed = await Promise.race([closing.then(() => true), late]);
  clearTimeout(timer);
  return closed;
}
