import { posix } from "node:path";
import { Fault } from "../../../operation/fault.ts";

/** A file in a folder of the store. Folders are written with `/`, relative to the store's root; `""` is the root. */
export interface Place {
  readonly folder: string;
  readonly name: string;
}

export interface ListedFile {
  readonly name: string;
  readonly size: number;
  readonly modifiedMs: number;
}

export interface Listing {
  readonly files: readonly ListedFile[];
  /** Names that cannot be worked with: not UTF-8, or such as lead out of the folder. */
  readonly unusable: readonly string[];
}

/**
 * Where files are dropped and fetched: a folder of this machine, or one behind SFTP. Only plain files are seen;
 * links are not, whatever they point at. Everything rejects with a Fault that says what to do.
 */
export interface FileStore {
  /** The oldest files of a folder whose names are wanted, oldest first. More come when these are gone. */
  readonly list: (folder: string, isWanted: (name: string) => boolean, limit: number) => Promise<Listing>;
  readonly folders: (folder: string) => Promise<readonly string[]>;
  /** Null where there is no such file, "too-large" without having read it. */
  readonly read: (place: Place, maxBytes: number) => Promise<Buffer | null | "too-large">;
  /** The same piece by piece, each taken before the next one comes. "read" at the end of the file. */
  readonly pieces: (
    place: Place,
    maxBytes: number,
    take: (piece: Buffer) => Promise<void>,
  ) => Promise<"read" | null | "too-large">;
  /** One step for everybody else. False where the file is gone: somebody was quicker. Replaces what is there. */
  readonly move: (from: Place, to: Place) => Promise<boolean>;
  /** The whole file under its name or nothing; on the disk when it resolves. */
  readonly write: (place: Place, bytes: Uint8Array) => Promise<void>;
  /** No matter whether it is there. */
  readonly remove: (place: Place) => Promise<void>;
  /** Makes a folder with those above it, where missing, and sees that no link leads out of the root. */
  readonly makeFolder: (folder: string) => Promise<void>;
  /** Whether files can be listed there and, if asked, written. */
  readonly checkFolder: (folder: string, needs: { readonly write: boolean }) => Promise<void>;
  readonly close: () => Promise<void>;
}

const longestNameBytes = 255;

/** Whether a name from a listing stays in its folder. A server may send anything for a name. */
export function isUsableName(name: string): boolean {
  if (name === "" || name === "." || name === "..") return false;
  // Node writes U+FFFD for bytes that are no UTF-8: under that name there is no file.
  return !/[/\\\0\uFFFD]/.test(name) && Buffer.byteLength(name) <= longestNameBytes;
}

/** A name as it may stand in a log, a reason file or on a terminal: line breaks and direction marks are written out. */
export function shownName(name: string): string {
  const short = name.length > 120 ? `${name.slice(0, 120)}…` : name;
  return short.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029\\"]/gu, (character) =>
    character === '"' || character === "\\"
      ? `\\${character}`
      : `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}}`,
  );
}

/** A value as a part of a file name: letters, digits and a few signs; the rest as %XX, so that two values stay two names. */
export function namePart(value: string): string {
  const written = value
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}._+@~-]/gu, (character) =>
      [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
    );
  // A leading dot hides a file, a leading dash is an option to every program that is given it.
  return written.replace(/^[.-]/, (sign) => (sign === "." ? "%2E" : "%2D"));
}

/** A name with something in front and behind, cut in the middle where file systems would refuse its length. */
export function extendedName(before: string, name: string, after = ""): string {
  const room = longestNameBytes - Buffer.byteLength(before) - Buffer.byteLength(after);
  return before + cutName(name, room) + after;
}

/** Keeps the end, where the extension and mostly the number are. */
function cutName(name: string, maxBytes: number): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const characters = [...name];
  let bytes = Buffer.byteLength(name);
  let from = 0;
  while (bytes > maxBytes && from < characters.length) bytes -= Buffer.byteLength(characters[from++] ?? "");
  return characters.slice(from).join("");
}

/** A configured folder below the root, cleaned up. One that leads out of the root is a mistake or worse. */
export function folderPath(...parts: readonly string[]): string {
  const joined = posix
    .normalize(
      parts
        .filter(Boolean)
        .map((part) => part.replaceAll("\\", "/"))
        .join("/"),
    )
    .replace(/\/+$/, "");
  const path = joined === "." ? "" : joined.replace(/^\.\//, "");
  if (path.startsWith("/") || path === ".." || path.startsWith("../") || path.includes("\0")) {
    throw new Fault(
      "invalid",
      `the folder ${JSON.stringify(parts.at(-1))} lies outside of \`location\`; name it relative to it`,
    );
  }
  return path;
}

const byAge = (one: ListedFile, other: ListedFile): number =>
  one.modifiedMs - other.modifiedMs || (one.name < other.name ? -1 : 1);

/** Keeps the oldest of the files it is given, in no more memory than they need: a folder may hold a million. */
export function oldestFiles(limit: number) {
  let files: ListedFile[] = [];
  const cut = () => {
    files = files.sort(byAge).slice(0, limit);
  };
  return {
    add: (file: ListedFile): void => {
      files.push(file);
      // Sorted once in a while, not for every file.
      if (files.length >= 2 * limit) cut();
    },
    /** Oldest first; of the same time, by name. */
    files: (): readonly ListedFile[] => {
      cut();
      return files;
    },
  };
}

const hints: Readonly<Record<string, string>> = {
  ENOENT: "there is no such folder; create it or correct the configuration",
  ENOTDIR: "that is no folder",
  EACCES: "permission denied; give the user of this service the right to read and write there",
  EPERM: "permission denied; give the user of this service the right to read and write there",
  EROFS: "that disk is read-only",
  ENOSPC: "the disk is full; make room there",
  EDQUOT: "the quota of that disk is used up; make room there",
  EXDEV: "`done`, `error` and the claimed files must lie on the same disk as the incoming folder",
  EMFILE: "too many files are open",
  EIO: "the disk does not answer as it should",
  ESTALE: "the network drive has gone; mount it again",
  ENOTCONN: "the network drive has gone; mount it again",
};

export const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "");

/** Trouble of the store as a whole: waiting helps as soon as somebody has mended it, and no single file is to blame. */
export function storeFault(error: unknown, doing: string, path: string): Fault {
  if (error instanceof Fault) return error;
  const said = error instanceof Error ? error.message : String(error);
  const hint = hints[codeOf(error)] ?? said;
  return new Fault("unreachable", `${doing} "${shownName(path)}" failed: ${hint}`, { cause: error });
}
