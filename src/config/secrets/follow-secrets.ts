import { statSync } from "node:fs";
import type { Timers } from "../../kit/time/timers.ts";
import type { SecretCommands } from "./secret-commands.ts";

/** Where the secrets of a loaded configuration come from. */
export interface SecretSources {
  /** Absolute paths. */
  readonly files: readonly string[];
  /** Texts that begin with `exec:`. */
  readonly commands: readonly string[];
}

export const noSecretSources: SecretSources = { files: [], commands: [] };

export interface FollowNeeds {
  /** The sources of the configuration in use. */
  readonly sources: () => SecretSources;
  readonly commands: SecretCommands;
  readonly timers: Timers;
  /** Called when a secret has another value than before. */
  readonly onChanged: () => void;
}

const filesEveryMs = 10_000;
/** Commands are run less often than files are read, because a secret manager may limit or charge for reads. */
const commandsEveryTurns = 30;

/** Checks regularly whether secrets were replaced, so that nobody has to reload. Returns a function that stops it. */
export function followSecrets({ sources, commands, timers, onChanged }: FollowNeeds): () => void {
  let isStopped = false;
  let cancel = () => {};
  let knownFiles = new Map<string, string>();
  let knownAnswers = new Map<string, string>();

  const check = async (turn: number) => {
    const { files, commands: texts } = sources();
    const stamps = new Map(files.map((file) => [file, fileStamp(file)]));
    let hasChanged = differs(knownFiles, stamps);
    knownFiles = stamps;
    if (texts.length > 0 && turn % commandsEveryTurns === 0) {
      const answers = await commands.read(texts, turn > 0);
      // Commands without an answer are left out: a secret manager that cannot be reached is not a change.
      const known = new Map([...answers].flatMap(([text, one]) => ("text" in one ? [[text, one.text] as const] : [])));
      hasChanged ||= differs(knownAnswers, known);
      knownAnswers = new Map([...knownAnswers, ...known]);
    }
    if (isStopped) return;
    if (hasChanged) onChanged();
    cancel = timers.after(filesEveryMs, () => void check(turn + 1));
  };
  void check(0);
  return () => {
    isStopped = true;
    cancel();
  };
}

/** Whether a value has changed. A source that was not known before does not count: its configuration was just read. */
const differs = (before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): boolean =>
  [...now].some(([name, value]) => (before.get(name) ?? value) !== value);

/** A text that changes with the file. Links are followed, because Kubernetes replaces a link and not the file. */
export function fileStamp(file: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(file);
    return `${mtimeMs}/${size}/${ino}`;
  } catch {
    return "missing";
  }
}
