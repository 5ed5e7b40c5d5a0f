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
