import { posix } from "node:path";
import type { Timers } from "../../../kit/time/timers.ts";
import { Fault } from "../../../operation/fault.ts";
import type { FilesOptions } from "../options.ts";
import {
  extendedName,
  type FileStore,
  isUsableName,
  oldestFiles,
  type Place,
  shownName,
  wholeOf,
} from "./file-store.ts";
import { folderStore } from "./folder-store.ts";
import {
  type Attributes,
  eof,
  mustStayInside,
  noSuchFile,
  readPieces,
  rename,
  serverFault,
  stat,
  unlink,
  type Work,
  writeWhole,
} from "./sftp-files.ts";
import { type SftpLogin, sftpCode, sftpSession } from "./sftp-session.ts";

/** Opens the folder or server that `location` names. */
export function openStore(options: Pick<FilesOptions, "location" | "sftp">, timers: Timers): FileStore {
  const server = sftpLogin(options);
  return server === null ? folderStore(options.location) : sftpStore(server.root, server.login, timers);
}

/** The server that `location` or `sftp` names, and the folder on it; null when the folder is on this machine. */
export function sftpLogin({
  location,
  sftp,
}: Pick<FilesOptions, "location" | "sftp">): { root: string; login: SftpLogin } | null {
  const url = /^sftp:\/\//i.test(location) ? addressOf(location) : null;
  if (url === null && sftp === undefined) {
    if (/^[a-z][a-z0-9+.-]+:\/\//i.test(location))
      throw new Fault("invalid", "the only address it can have is sftp://host/folder");
    return null;
  }
  if (sftp === undefined)
    throw new Fault("invalid", "an sftp:// address needs `sftp` with user, password or key, and hostKey");
  const host = url?.hostname || sftp.host;
  if (host === undefined)
    throw new Fault("invalid", "say the host: `location: sftp://host/folder`, or `host` under `sftp`");
  const { username: user, password, privateKey, passphrase, hostKey } = sftp;
  if ((password === undefined) === (privateKey === undefined)) {
    throw new Fault("invalid", "`sftp` needs either `password` or `privateKey`");
  }
  const login = {
    ...{ host: host.replace(/^\[|\]$/g, ""), user, hostKey, timeoutMs: sftp.timeoutMs ?? 20_000 },
    port: url === null || url.port === "" ? (sftp.port ?? 22) : Number(url.port),
    ...(password === undefined ? {} : { password }),
    ...(privateKey === undefined ? {} : { privateKey }),
    ...(passphrase === undefined ? {} : { passphrase }),
  };
  return { root: url === null ? location : decodeURIComponent(url.pathname) || "/", login };
}

function addressOf(location: string): URL {
  const url = URL.parse(location);
  if (url === null) throw new Fault("invalid", "`location` is not an address such as sftp://host/folder");
  if (url.username !== "" || url.password !== "") {
    throw new Fault("invalid", "username and password belong under `sftp`, not into the address of `location`");
  }
  return url;
}

/** One entry of a server's folder listing. */
interface Named {
  readonly filename: string;
  readonly attrs: Attributes;
}
const listed = (name: string, { size, mtime }: Named["attrs"]) => ({ name, size, modifiedMs: mtime * 1000 });
const isPlainFile = (mode: number) => (mode & 0o170000) === 0o100000;
const isFolder = (mode: number) => (mode & 0o170000) === 0o040000;

/** A folder on an SFTP server. */
function sftpStore(root: string, login: SftpLogin, timers: Timers): FileStore {
  const session = sftpSession(login, timers);
  const pathOf = (folder: string) => (folder === "" ? root : posix.join(root, folder));
  const fileOf = ({ folder, name }: Place) => {
    if (!isUsableName(name)) throw new Fault("broken", `${JSON.stringify(name)} cannot be a file name`);
    return posix.join(pathOf(folder), name);
  };
  const work = async <T>(doing: string, path: string, run: (work: Work) => Promise<T>): Promise<T> => {
    try {
      const group = doing === "writing" ? "write" : "read";
      return await session.work(group, (sftp, exchange) => run({ sftp, exchange }));
    } catch (error) {
      throw serverFault(error, doing, `${login.host}:${path}`);
    }
  };

  const pieces: FileStore["pieces"] = (place, maxBytes, take) =>
    work("reading", fileOf(place), async (on) => {
      const found = await stat(on, fileOf(place));
      if (found === null) return null;
      if (!isPlainFile(found.mode)) throw new Fault("unreachable", `"${shownName(place.name)}" is not a regular file`);
      return found.size > maxBytes ? "too-large" : readPieces(on, fileOf(place), { size: found.size, maxBytes }, take);
    });

  return {
    list: (folder, isWanted, limit) =>
      work("listing", pathOf(folder), async (on) => {
        const oldest = oldestFiles(limit);
        const unusable: string[] = [];
        for await (const { filename: name, attrs } of named(on, pathOf(folder))) {
          if (!isPlainFile(attrs.mode) || !isWanted(name)) continue;
          if (isUsableName(name)) oldest.add(listed(name, attrs));
          else if (unusable.length < limit) unusable.push(name);
        }
        return { files: oldest.files(), unusable };
      }),
    find: (place) =>
      work("reading", fileOf(place), async (on) => {
        const found = await stat(on, fileOf(place));
        return found === null || !isPlainFile(found.mode) ? null : listed(place.name, found);
      }),
    folders: (folder) =>
      work("listing", pathOf(folder), async (on) => {
        const names: string[] = [];
        try {
          for await (const { filename, attrs } of named(on, pathOf(folder))) {
            if (isFolder(attrs.mode) && isUsableName(filename)) names.push(filename);
          }
        } catch (error) {
          if (sftpCode(error) !== noSuchFile) throw error;
        }
        return names;
      }),
    read: (place, maxBytes) => wholeOf((take) => pieces(place, maxBytes, take)),
    pieces,
    move: (from, to) =>
      work("moving", fileOf(from), async (on) => {
        try {
          await rename(on, fileOf(from), fileOf(to));
          return true;
        } catch (error) {
          if ((await stat(on, fileOf(from))) === null) return false;
          throw error;
        }
      }),
    write: (place, bytes) =>
      work("writing", fileOf(place), async (on) => {
        const part = posix.join(pathOf(place.folder), extendedName(".", place.name, ".part"));
        await writeWhole(on, part, bytes);
        await rename(on, part, fileOf(place));
      }),
    remove: (place) =>
      work("removing", fileOf(place), async (on) => {
        await unlink(on, fileOf(place));
      }),
    makeFolder: (folder) =>
      work("making the folder", pathOf(folder), async (on) => {
        const steps = folder === "" ? [] : folder.split("/");
        for (const [index] of steps.entries()) {
          const path = pathOf(steps.slice(0, index + 1).join("/"));
          if ((await stat(on, path)) !== null) continue;
          await on
            .exchange((done) => on.sftp.mkdir(path, done))
            .catch(async (error: unknown) => {
              // Another adapter may have created it in the meantime.
              if ((await stat(on, path)) === null) throw error;
            });
        }
        await mustStayInside(on, root, pathOf(folder));
      }),
    checkFolder: (folder, { write }) =>
      work("checking the folder", pathOf(folder), async (on) => {
        await mustStayInside(on, root, pathOf(folder));
        await named(on, pathOf(folder)).next();
        if (!write) return;
        const probe = posix.join(pathOf(folder), `.crossdock-check-${process.pid}`);
        await writeWhole(on, probe, Buffer.from("x"));
        await unlink(on, probe);
      }),
    close: session.close,
  };
}

async function* named({ sftp, exchange }: Work, path: string): AsyncGenerator<Named> {
  const handle = await exchange<Buffer>((done) => sftp.opendir(path, done));
  try {
    for (;;) {
      // In chunks: a folder of a million files must not be held in memory.
      const piece = await exchange<readonly Named[]>((done) => sftp.readdir(handle, done)).catch((error: unknown) => {
        if (sftpCode(error) === eof) return null;
        throw error;
      });
      if (piece === null) return;
      yield* piece;
    }
  } finally {
    // Errors of closing are ignored: the data was read, and the server drops handles with the connection.
    await exchange((done) => sftp.close(handle, done)).catch(() => {});
  }
}
