import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { readText } from "../../kit/files/read-text.ts";
import { modeOf, replaceFile, writeSynced } from "../../kit/files/replace-file.ts";
import { syncFolder } from "../../kit/files/sync-folder.ts";
import { errorCode, isOneOf } from "../../kit/narrow.ts";
import type { EarlierConfig, ShownConfig } from "../../server/workshop/config-editor.ts";

/** The configuration file on disk, and its earlier contents. */
export interface ConfigFile {
  readonly path: string;
  /** Empty if there is no file yet. */
  readonly read: () => string;
  readonly readOnlyBecause: () => Promise<ShownConfig["readOnlyBecause"]>;
  /** Replaces the text and keeps the previous one. */
  readonly replace: (text: string, by: { operator: string; reason: string; at: Date }) => Promise<Replaced>;
  /** Newest first. */
  readonly history: () => readonly EarlierConfig[];
  /** The text before the last change; null if there was none. */
  readonly before: () => string | null;
  /**
   * Keeps a secret beside the file and returns the reference to it. It gets a name of its own: a connection that runs,
   * or an earlier content of the file, may use the one that is there.
   */
  readonly keepSecret: (name: string, value: string) => Promise<string>;
}

/** A change of the file, of which one of these is called. */
interface Replaced {
  readonly keep: () => void;
  /** Undoes the change completely, also on a full disk. */
  readonly undo: () => Promise<void>;
}

/** How many earlier contents are kept: enough for a month of trying. Each is as large as the file. */
const keptStates = 50;

export const versionOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 16);

export function configFile({ path, dataFolder }: { path: string; dataFolder: string }): ConfigFile {
  const folder = join(dataFolder, "config-history");
  const read = () => (existsSync(path) ? readText(path) : "");
  const names = () =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => name.endsWith(".json"))
          .toSorted()
          .reverse()
      : [];
  // `replace` below wrote this file.
  const stored = (name: string) =>
    JSON.parse(readFileSync(join(folder, name), "utf8")) as EarlierConfig & { text: string };

  /** Without a state that is still in effect, because the program was killed before it was replaced. */
  const replaced = () => names().filter((name, nth) => nth > 0 || stored(name).text !== read());

  return {
    path,
    read,
    readOnlyBecause: async () => ((await isKeptInGit(path)) ? "kept-in-git" : mayWrite(path) ? null : "no-permission"),
    replace: async (text, { operator, reason, at }) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const isNew = !existsSync(path);
      const before = read();
      const id = `${at.toISOString().replaceAll(":", "-")}-${versionOf(before)}`;
      const earlier = { id, replacedAt: at.toISOString(), operator, reason, text: before };
      const kept = join(folder, `${id}.json`);
      const previous = `${path}.previous`;
      const forget = () => rmSync(previous, { force: true });
      await replaceFile(kept, JSON.stringify(earlier));
      try {
        if (!isNew) await writeSynced(previous, before, modeOf(path));
        await replaceFile(path, text);
      } catch (error) {
        // A state that was never replaced is none to return to.
        rmSync(kept, { force: true });
        forget();
        throw error;
      }
      for (const name of names().slice(keptStates)) rmSync(join(folder, name));
      return {
        keep: forget,
        undo: async () => {
          // Only renames: the disk may have become full, and the change must not stay because of that.
          if (isNew) await rm(path, { force: true });
          else await rename(previous, path);
          await syncFolder(dirname(path));
          rmSync(kept, { force: true });
        },
      };
    },
    history: () =>
      replaced().map((name) => {
        const { text: _, ...earlier } = stored(name);
        return earlier;
      }),
    before: () => {
      const [newest] = replaced();
      return newest === undefined ? null : stored(newest).text;
    },
    keepSecret: async (name, value) => {
      const secrets = join(dirname(path), "secrets");
      mkdirSync(secrets, { recursive: true, mode: 0o700 });
      const free = freeSecretName(secrets, name, value);
      await replaceFile(join(secrets, free), value);
      return `file:secrets/${free}`;
    },
  };
}

/** The name itself, or with a number: that of a file that is not there yet, or has just this content. */
function freeSecretName(folder: string, name: string, value: string): string {
  for (let nth = 2, tried = name; ; tried = `${name}-${nth++}`) {
    const path = join(folder, tried);
    if (!existsSync(path) || readFileSync(path, "utf8") === value) return tried;
  }
}

/** Why a file could not be written, and what to do. */
export const whyNotWritten = (error: unknown): string =>
  isOneOf(["ENOSPC", "EDQUOT"], errorCode(error))
    ? "The disk is full, so nothing was changed. Make room for the configuration and the data folder, then repeat the change."
    : "The adapter may not write its configuration file. Copy the change into the file.";

function mayWrite(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    if (existsSync(path)) accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether a git repository around the file contains the file: then the next checkout would undo a change made here. In
 * a large repository the index has tens of megabytes, so it is read asynchronously and in pieces.
 */
async function isKeptInGit(path: string): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const index = join(gitFolderIn(folder), "index");
    if (existsSync(index)) return await holds(index, Buffer.from(`${relative(folder, path).split(sep).join("/")}\0`));
    if (folder === dirname(folder)) return false;
  }
}

/** In a worktree or a submodule, `.git` is a file that names the folder. */
function gitFolderIn(folder: string): string {
  const path = join(folder, ".git");
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return path;
  const [, named = ""] = /^gitdir: (.+)$/m.exec(readFileSync(path, "utf8")) ?? [];
  return resolve(folder, named.trim());
}

const shorteningIndex = Buffer.from("DIRC\0\0\0\x04", "latin1");

async function holds(file: string, wanted: Buffer): Promise<boolean> {
  let end: Buffer = Buffer.alloc(0);
  try {
    for await (const piece of createReadStream(file)) {
      const joined: Buffer = Buffer.concat([end, piece]);
      // This version shortens names by what they share with the one before; nobody knows then whether it names the file.
      if (joined.subarray(0, 8).equals(shorteningIndex)) return true;
      if (joined.includes(wanted)) return true;
      // The name may begin in one piece and end in the next.
      end = joined.subarray(Math.max(0, joined.length - wanted.length + 1));
    }
    return false;
  } catch {
    // It is unknown whether the index names the file. A change that a checkout would undo is worse than one that has to
    // be copied by hand.
    return true;
  }
}
