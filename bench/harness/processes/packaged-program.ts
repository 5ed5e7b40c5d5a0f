import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { operations } from "../../../src/contract/operations.ts";
import { freePort } from "../../../test/peers/free-port.ts";
import { builtProgram } from "../../../test/support/built-program.ts";
import { benchKey } from "../../data/bench-key.ts";
import type { LongestTurns } from "../../servers/longest-turn.ts";
import { serviceSettings } from "./service-settings.ts";

const turnsModule = new URL("../../servers/longest-turn.ts", import.meta.url).href;
const waitMs = 50;

export interface PackagedProgram {
  readonly url: string;
  /** Returns the longest turns of its event loop since the last call, in milliseconds of processor time. */
  readonly longestTurns: () => Promise<LongestTurns>;
  readonly stop: () => Promise<void>;
}

/** Starts `crossdock start` on a data folder, from the files of the package, as the service unit does: what users run. */
export async function startPackagedProgram(folder: string, config: object): Promise<PackagedProgram> {
  const configFile = join(folder, "crossdock.yaml");
  writeFileSync(configFile, JSON.stringify(config));
  const port = await freePort();
  const env = { PORT: String(port), CROSSDOCK_API_KEY: benchKey, CROSSDOCK_SAMPLE: "false" };
  const child = fork(builtProgram(), ["start"], {
    ...{ cwd: folder, stdio: "ignore" },
    execArgv: [...serviceSettings.nodeOptions, "--import", turnsModule],
    env: {
      ...{ ...process.env, ...serviceSettings.env, ...env },
      ...{ CROSSDOCK_CONFIG: configFile, CROSSDOCK_DATA_DIR: folder },
    },
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await isAnswering(url))) {
    if (child.exitCode !== null) throw new Error(`the program ended (${child.exitCode})`);
    await sleep(waitMs);
  }
  return {
    url,
    longestTurns: async () => {
      child.send("ask");
      const [found] = await once(child, "message");
      // It comes from the module that was loaded into the program.
      return found as LongestTurns;
    },
    stop: async () => {
      const exited = once(child, "exit");
      child.kill();
      await exited;
    },
  };
}

async function isAnswering(url: string): Promise<boolean> {
  try {
    return (await fetch(url + operations.getStatus.path)).ok;
  } catch {
    return false;
  }
}
