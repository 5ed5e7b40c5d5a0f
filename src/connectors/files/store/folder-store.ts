import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, opendir, realpath, rename, rm } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { syncFolder } from "../../../kit/files/sync-folder.ts";
import { Fault } from "../../../operation/fault.ts";
import {
  codeOf,
  extendedName,
  type FileStore,
  isUsableName,
  oldestFiles,
  type Place,
  storeFault,
  wholeOf,
} from "./file-store.ts";

// Without O_NOFOLLOW, a link with the name of a file would be followed. Windows lacks it; links need special rights
// there.
const noFollow = constants.O_NOFOLLOW ?? 0;

/** How many files are examined in parallel: one at a time, a network drive would need a round trip per file. */
const statsAtOnce = 64;

/** A local folder, or a network drive that is mounted locally. */
export function folderStore(root: string): FileStore {
  const base = resolve(root);
  const pathOf = (folder: string) => join(base, ...folder.split("/"));
  const fileOf = ({ folder, name }: Place) => {
    if (!isUsableName(name)) throw new Fault("broken", `${JSON.stringify(name)} cannot be a file name`);
    return join(pathOf(folder), name);
  };

  const mustStayInside = async (folder: string) => {
    const [realBase, real] = await Promise.all([realpath(base), realpath(pathOf(folder))]);
    const way = relative(realBase, real);
    if (way === ".." || way.startsWith(`..${sep}`) || resolve(way) === way) {
      throw new Fault(
        "unreachable",
        `the folder ${JSON.stringify(folder)} is a link that leads out of \`location\`; replace it by a real folder`,
      );
    }
  };

  const pieces: FileStore["pieces"] = async (place, maxBytes, take) => {
    const path = fileOf(place);
    let handle: FileHandle | undefined;
    try {
      // Without O_NONBLOCK, opening a named pipe would block for ever.
      handle = await open(path, constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0));
      return await readPieces(handle, maxBytes, take);
    } catch (error) {
      if (codeOf(error) === "ENOENT" && handle === undefined) return null;
      throw storeFault(error, "reading", path);
    } finally {
      await handle?.close();
    }
  };

  return {
    list: async (folder, isWanted, limit) => {
      const path = pathOf(folder);
      const oldest = oldestFiles(limit);
      const unusable: string[] = [];
      let names: string[] = [];
      const statAll = async () => {
        const found = await Promise.all(names.map((name) => lstat(join(path, name)).catch(orNull)));
        for (const [index, name] of names.entries()) {
          const stats = found[index];
          if (stats?.isFile()) oldest.add({ name, size: stats.size, modifiedMs: stats.mtimeMs });
        }
        names = [];
      };
      try {
        for await (const entry of await opendir(path)) {
          if (!entry.isFile() || !isWanted(entry.name)) continue;
          if (isUsableName(entry.name)) names.push(entry.name);
          else if (unusable.length < limit) unusable.push(entry.name);
          if (names.length >= statsAtOnce) await statAll();
        }
        await statAll();
      } catch (error) {
        throw storeFault(error, "listing", path);
      }
      return { files: oldest.files(), unusable };
    },
    find: async (place) => {
      try {
        const stats = await lstat(fileOf(place));
        return stats.isFile() ? { name: place.name, size: stats.size, modifiedMs: stats.mtimeMs } : null;
      } catch (error) {
        if (codeOf(error) === "ENOENT") return null;
        throw storeFault(error, "reading", fileOf(place));
      }
    },
    folders: async (folder) => {
      const names: string[] = [];
      try {
        for await (const entry of await opendir(pathOf(folder))) if (entry.isDirectory()) names.push(entry.name);
      } catch (error) {
        if (codeOf(error) !== "ENOENT") throw storeFault(error, "listing", pathOf(folder));
      }
      return names;
    },
    read: (place, maxBytes) => wholeOf((take) => pieces(place, maxBytes, take)),
    pieces,
    move: async (from, to) => {
      try {
        await rename(fileOf(from), fileOf(to));
        return true;
      } catch (error) {
        // The target folder may be missing too. Only a missing source means that another process was faster.
        if (codeOf(error) === "ENOENT" && (await lstat(fileOf(from)).catch(orNull)) === null) return false;
        throw storeFault(error, "moving", fileOf(from));
      }
    },
    write: async (place, bytes) => {
      const path = fileOf(place);
      const part = join(dirname(path), extendedName(".", place.name, ".part"));
      try {
        await writeSynced(part, bytes);
        await rename(part, path);
        await syncFolder(dirname(path));
      } catch (error) {
        // The first error is reported. A remaining part has a hidden name.
        await rm(part, { force: true }).catch(() => {});
        throw storeFault(error, "writing", path);
      }
    },
    remove: async (place) => {
      await rm(fileOf(place), { force: true }).catch((error: unknown) => {
        throw storeFault(error, "removing", fileOf(place));
      });
    },
    makeFolder: async (folder) => {
      try {
        // If a network drive is not mounted, its empty mount point must not be used instead.
        await realpath(base);
        await mkdir(pathOf(folder), { recursive: true });
        await mustStayInside(folder);
      } catch (error) {
        throw storeFault(error, "making the folder", pathOf(folder));
      }
    },
    checkFolder: async (folder, { write }) => {
      const path = pathOf(folder);
      try {
        await mustStayInside(folder);
        await (await opendir(path)).close();
        if (!write) return;
        // On network drives the permissions shown can differ from the real ones: only a write tells.
        const probe = join(path, `.crossdock-check-${process.pid}`);
        await writeSynced(probe, Buffer.from("x"));
        await rm(probe);
      } catch (error) {
        throw storeFault(error, "checking the folder", path);
      }
    },
    close: async () => {},
  };
}

const orNull = (): null => null;

async function readPieces(
  handle: FileHandle,
  maxBytes: number,
  take: (piece: Buffer) => Promise<void>,
): Promise<"read" | "too-large"> {
  const stats = await handle.stat();
  if (!stats.isFile()) throw new Error("that is not a regular file");
  if (stats.size > maxBytes) return "too-large";
  let total = 0;
  // The file may have grown since. The size is only a hint; the limit is enforced.
  for (;;) {
    const piece = Buffer.allocUnsafe(Math.max(1, Math.min(1 << 20, stats.size - total || 1 << 16)));
    const { bytesRead } = await handle.read(piece, 0, piece.length, null);
    if (bytesRead === 0) return "read";
    total += bytesRead;
    if (total > maxBytes) return "too-large";
    await take(piece.subarray(0, bytesRead));
  }
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  // Never writes through a link that somebody created under the name of the part file.
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | noFollow, 0o640);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
