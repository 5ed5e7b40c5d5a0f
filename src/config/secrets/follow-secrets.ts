import { statSync } from "node:fs";
import type { Timers } from "../../kit/time/timers.ts";
import type { SecretCommands } from "./secret-commands.ts";

/** Where the secrets of a loaded configuration come from. */
export interface SecretSources {
  /** Absolute paths. */
  readonly files: readonly string[];
  /** Texts that begin with `exec:`. */
  readonly commands: readonly string[];
  /** As they were when the configuration was read: the stamp of each file, and what each command printed. */
  readonly asRead: ReadonlyMap<string, string>;
}

export const noSecretSources: SecretSources = { files: [], commands: [], asRead: new Map() };

export interface FollowNeeds {
  /** The sources of the configuration in use. */
  readonly sources: () => SecretSources;
  readonly commands: SecretCommands;
  readonly timers: Timers;
  /** Called when a secret has another value than the configuration in use. */
  readonly onChanged: () => void;
}

const filesEveryMs = 10_000;
/**
 * Commands are run less often than files are read, because a secret manager may limit or charge for reads. As often, a
 * configuration that was refused is tried again: the cause may have been a manager that could not be reached.
 */
const commandsEveryTurns = 30;

/** Checks regularly whether secrets were replaced, so that nobody has to reload. Returns a function that stops it. */
export function followSecrets({ sources, commands, timers, onChanged }: FollowNeeds): () => void {
  let isStopped = false;
  let cancel = () => {};
  /** What the commands printed last. */
  let printed = new Map<string, string>();
  /** The state that `onChanged` was called for. */
  let reported = "";

  const check = async (turn: number) => {
    const { files, commands: texts, asRead } = sources();
    const isLongTurn = turn % commandsEveryTurns === 0;
    if (texts.length > 0 && isLongTurn) {
      // Commands without an answer are left out: a secret manager that cannot be reached is not a change.
      const answers = [...(await commands.read(texts, true))];
      printed = new Map(answers.flatMap(([text, one]) => ("text" in one ? [[text, one.text] as const] : [])));
    }
    if (isStopped) return;
    const now = [...files.map((file) => [file, fileStamp(file)] as const), ...printed];
    const changed = now.filter(([name, value]) => (asRead.get(name) ?? value) !== value);
    const state = JSON.stringify(changed);
    if (changed.length > 0 && (state !== reported || isLongTurn)) onChanged();
    reported = state;
    cancel = timers.after(filesEveryMs, () => void check(turn + 1));
  };
  void check(1);
  return () => {
    isStopped = true;
    cancel();
  };
}

/** A text that changes with the file. Links are followed, because Kubernetes replaces a link and not the file. */
export function fileStamp(file: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(file);
    return `${mtimeMs}/${size}/${ino}`;
  } catch {
    return "missing";
  }
}
