import type { Settings } from "../config/settings.ts";
import { CommandFailure, type Terminal } from "./command.ts";

/** The settings of the environment for a command that calls an adapter. Fails if the key is there and cannot be used. */
export async function settingsWithKey({ env, cwd }: Pick<Terminal, "env" | "cwd">): Promise<Settings> {
  const { settings } = await import("../config/settings.ts");
  const read = settings({ env, cwd, hasConfigFile: true });
  // Another setting that is wrong says nothing about the adapter that is called.
  const problem = read.problems.find(({ source }) => source.startsWith("CROSSDOCK_API_KEY"));
  if (problem === undefined) return read.settings;
  throw new CommandFailure(`${problem.source}: ${problem.text}`, { next: problem.hint ?? "correct it" });
}

/** The key as it was typed, else that of CROSSDOCK_API_KEY or of the file in CROSSDOCK_API_KEY_FILE. */
export async function givenApiKey(typed: string | undefined, terminal: Terminal): Promise<string | undefined> {
  return typed ?? (await settingsWithKey(terminal)).apiKey;
}
