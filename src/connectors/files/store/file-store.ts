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
  /** Names that cannot be used: not UTF-8, or leading out of the folder. */
  readonly unusable: readonly string[];
}

/**
 * A folder that files are read from and written to: local, or on an SFTP server. Only regular files are listed;
 * links are ignored, whatever they point to. Every failure is a Fault whose text says what to do.
 */
export interface FileStore {
  /** The oldest files with matching names, oldest first. After these are gone, the next call returns more. */
  readonly list: (folder: string, isWanted: (name: string) => boolean, limit: number) => Promise<Listing>;
  /** Null if there is no such file. */
  readonly find: (place: Place) => Promise<ListedFile | null>;
  readonly folders: (folder: string) => Promise<readonly string[]>;
  /** Null if there is no such file; "too-large" without reading it. */
  readonly read: (place: Place, maxBytes: number) => Promise<Buffer | null | "too-large">;
  /**
   * Like read, but chunk by chunk: each chunk is consumed before the next is read, and its memory then belongs to the
   * caller. Resolves to "read" at the end of the file.
   */
  readonly pieces: (
    place: Place,
    maxBytes: number,
    take: (piece: Buffer) => Promise<void>,
  ) => Promise<"read" | null | "too-large">;
  /**
   * Moves a file, atomically for every other process, and overwrites the target. False if another process has moved it
   * first.
   */
  readonly move: (from: Place, to: Place) => Promise<boolean>;
  /** Writes the whole file or nothing; the file is on the disk when this resolves. */
  readonly write: (place: Place, bytes: Uint8Array) => Promise<void>;
  /** Succeeds also if the file does not exist. */
  readonly remove: (place: Place) => Promise<void>;
  /** Creates the folder and its parents if missing, and checks that no link leads out of the root. */
  readonly makeFolder: (folder: string) => Promise<void>;
  /** Checks that the folder can be listed and, if requested, written to. */
  readonly checkFolder: (folder: string, needs: { readonly write: boolean }) => Promise<void>;
  readonly close: () => Promise<void>;
}

const longestNameBytes = 255;

/** Whether a listed name stays in its folder. A server may return any name. */
export function isUsableName(name: string): boolean {
  if (name === "" || name === "." || name === "..") return false;
  // Node writes U+FFFD for bytes that are not UTF-8; no file can be opened under that name.
  return !/[/\\\0\uFFFD]/.test(name) && Buffer.byteLength(name) <= longestNameBytes;
}

/** A name that is safe for a log, a reason file or a terminal: line breaks and direction marks are escaped. */
export function shownName(name: string): string {
  const short = name.length > 120 ? `${name.slice(0, 120)}…` : name;
  return short.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029\\"]/gu, (character) =>
    character === '"' || character === "\\"
      ? `\\${character}`
      : `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}}`,
  );
}

/**
 * Encodes a value as part of a file name: letters, digits and a few signs stay, the rest becomes %XX. Different values
 * never share a name.
 */
export function namePart(value: string): string {
  const written = value
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}._+@~-]/gu, (character) =>
      [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
    );
  // A leading dot hides a file; a leading dash looks like an option to command-line programs.
  return written.replace(/^[.-]/, (sign) => (sign === "." ? "%2E" : "%2D"));
}

/** A name with a prefix and a suffix, shortened in the middle if file systems would refuse its length. */
export function extendedName(before: string, name: string, after = ""): string {
  const room = longestNameBytes - Buffer.byteLength(before) - Buffer.byteLength(after);
  return before + cutName(name, room) + after;
}

/** Keeps the end, because it has the extension and usually the number. */
function cutName(name: string, maxBytes: number): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const characters = [...name];
  let bytes = Buffer.byteLength(name);
  let from = 0;
  while (bytes > maxBytes && from < characters.length) bytes -= Buffer.byteLength(characters[from++] ?? "");
  return characters.slice(from).join("");
}

/** A configured folder below the root, normalised. A folder that leads out of the root is refused. */
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

/** Keeps the oldest of the files it is given, in bounded memory: a folder may hold a million files. */
export function oldestFiles(limit: number) {
  let files: ListedFile[] = [];
  const cut = () => {
    files = files.sort(byAge).slice(0, limit);
  };
  return {
    add: (file: ListedFile): void => {
      files.push(file);
      // Sorted now and then; sorting after every file would be slow.
      if (files.length >= 2 * limit) cut();
    },
    /** Oldest first; by name if the times are equal. */
    files: (): readonly ListedFile[] => {
      cut();
      return files;
    },
  };
}

const hints: Readonly<Record<string, string>> = {
  ENOENT: "there is no such folder; create it or correct the configuration",
  ENOTDIR: "that is not a folder",
  EACCES: "permission denied; give the user of this service the right to read and write there",
  EPERM: "permission denied; give the user of this service the right to read and write there",
  EROFS: "that disk is read-only",
  ENOSPC: "the disk is full; make room there",
  EDQUOT: "the quota of that disk is used up; make room there",
  EXDEV: "`done`, `error` and the claimed files must lie on the same disk as the incoming folder",
  EMFILE: "too many files are open",
  EIO: "the disk reports a read or write error",
  ESTALE: "the network drive is no longer mounted; mount it again",
  ENOTCONN: "the network drive is no longer mounted; mount it again",
};

export const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "");

/** A failure of the whole store, not of one file: it is retried until somebody repairs it. */
export function storeFault(error: unknown, doing: string, path: string): Fault {
  if (error instanceof Fault) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const hint = hints[codeOf(error)] ?? reason;
  return new Fault("unreachable", `${doing} "${shownName(path)}" failed: ${hint}`, { cause: error });
}

type Take = Parameters<FileStore["pieces"]>[2];

/** Collects the pieces of a file into one buffer. */
export async function wholeOf(
  read: (take: Take) => ReturnType<FileStore["pieces"]>,
): Promise<Buffer | null | "too-large"> {
  const pieces: Buffer[] = [];
  const end = await read(async (piece) => void pieces.push(piece));
  if (end !== "read") return end;
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}
