import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { startDeployments } from "../../../src/app/deployments/start-deployments.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { silentLog } from "../../../src/kit/log.ts";
import { systemTimers } from "../../../src/kit/time/timers.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { longBudgets } from "../replicated-adapter.ts";

export const processKey = "key-of-the-process";
/** For commands that ask a process. */
export const processEnv = { CROSSDOCK_API_KEY: processKey };
export const keyOf = (name: string): string => `key-of-${name}`;

export interface Site {
  /** Null: none is given. */
  readonly key?: string | null;
  readonly config?: object;
}

export interface ProcessGiven {
  readonly store: string;
  readonly sites: Readonly<Record<string, Site>>;
  /** Members of `deployments`. */
  readonly options?: object;
  readonly log?: typeof silentLog;
  readonly timers?: typeof systemTimers;
}

/** Starts a process that serves these deployments from a PostgreSQL; it is stopped with the test. */
export async function beginProcess({ store, sites, options = {}, log = silentLog, timers }: ProcessGiven) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "crossdock.yaml"), JSON.stringify({ deployments: { folder: "sites", ...options }, store }));
  const addSite = (name: string, { key = keyOf(name), config = {} }: Site) => {
    mkdirSync(join(cwd, "sites", name), { recursive: true });
    writeFileSync(join(cwd, "sites", name, "crossdock.yaml"), JSON.stringify({ budgets: longBudgets, ...config }));
    if (key !== null) writeFileSync(join(cwd, "sites", name, ".env"), `CROSSDOCK_API_KEY=${key}\n`);
  };
  for (const [name, site] of Object.entries(sites)) addSite(name, site);
  const { config, settings, source } = await loadConfig({ env: { PORT: "0" }, cwd });
  const { deployments } = config;
  if (deployments === undefined || source === null) throw new Error("the configuration has deployments");
  const running = await startDeployments({
    ...{ config: { ...config, deployments }, source, env: {}, cwd, log, store, timers: timers ?? systemTimers },
    settings: { ...settings, apiKey: processKey },
  });
  onTestFinished(running.close);
  const viewOf = (name: string) => running.deploymentsView().find((one) => one.name === name);
  return {
    ...{ ...running, cwd, addSite },
    isOwner: (name: string) => viewOf(name)?.isOwner,
    state: (name: string) => viewOf(name)?.state,
    /** Reads all configurations again. */
    readAgain: () => running.reload({ config }),
  };
}

/** Timers whose time can be moved on. The process looks for deployments that nobody uses only when it is told to. */
export function timeByHand({ sleepAfterMinutes }: { readonly sleepAfterMinutes: number }) {
  const lookEveryMs = Math.min(sleepAfterMinutes * 15_000, 60_000);
  let skippedMs = 0;
  let look = () => {};
  return {
    timers: {
      ...systemTimers,
      passed: () => systemTimers.passed() + skippedMs,
      after: (ms: number, run: () => void) => {
        if (ms !== lookEveryMs) return systemTimers.after(ms, run);
        look = run;
        return () => {};
      },
    },
    /** Skips this many times the minutes after which a deployment is closed. */
    skip: (times = 1) => {
      skippedMs += times * sleepAfterMinutes * 60_000;
    },
    /** What the process does at once is done when this settles. */
    look: async () => {
      look();
      await new Promise<void>((resolve) => systemTimers.soon(resolve));
    },
  };
}
