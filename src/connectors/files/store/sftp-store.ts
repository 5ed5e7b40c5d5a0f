import { posix } from "node:path";
import type { Timers } from "../../../kit/time/timers.ts";
import { Fault } from "../../../operation/fault.ts";
import { extendedName, type FileStore, isUsableName, oldestFiles, type Place, shownName } from "./file-store.ts";
import { type Exchange, type Sftp, type SftpLogin, sftpCode, sftpSession } from "./sftp-session.ts";
import { wholeOf } from "./whole-of.ts";

const eof = 1;
const noSuchFile = 2;
const permissionDenied = 3;
const pieceBytes = 1 << 15;
/** Requests in flight: one round trip per chunk would make large files slow on a distant server. */
const piecesAtOnce = 16;

type Work = { readonly sftp: Sftp; readonly exchange: Exchange };
/** What a server's listing says about one name. */
interface Named {
  readonly filename: string;
  readonly attrs: { readonly mode: number; readonly size: number; readonly mtime: number };
}
const isPlainFile = (mode: number) => (mode & 0o170000) === 0o100000;
const isFolder = (mode: number) => (mode & 0o170000) === 0o040000;

/** A folder on an SFTP server. */
export function sftpStore(root: string, login: SftpLogin, timers: Timers): FileStore {
  const session = sftpSession(login, timers);
  const pathOf = (folder: string) => (folder === "" ? root : posix.join(root, folder));
  const fileOf = ({ folder, name }: Place) => {
    if (!isUsableName(name)) throw new Fault("broken", `${JSON.stringify(name)} cannot be a file name`);
    return posix.join(pathOf(folder), name);
  };
  const work = async <T>(doing: string, path: string, run: (work: Work) => Promise<T>): Promise<T> => {
    try {
      return await session.work((sftp, exchange) => run({ sftp, exchange }));
    } catch (error) {
      throw serverFault(error, doing, `${login.host}:${path}`);
    }
  };

  const pieces: FileStore["pieces"] = (place, maxBytes, take) =>
    work("reading", fileOf(place), async (on) => {
      const found = await look(on, fileOf(place));
      if (found === null) return null;
      if (!isPlainFile(found.mode)) throw new Fault("unreachable", `"${shownName(place.name)}" is not a regular file`);
      return found.size > maxBytes ? "too-large" : readPieces(on, fileOf(place), maxBytes, take);
    });

  return {
    list: (folder, isWanted, limit) =>
      work("listing", pathOf(folder), async (on) => {
        const oldest = oldestFiles(limit);
        const unusable: string[] = [];
        for await (const { filename: name, attrs } of named(on, pathOf(folder))) {
          if (!isPlainFile(attrs.mode) || !isWanted(name)) continue;
          if (isUsableName(name)) oldest.add({ name, size: attrs.size, modifiedMs: attrs.mtime * 1000 });
          else if (unusable.length < limit) unusable.push(name);
        }
        return { files: oldest.files(), unusable };
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
          if ((await look(on, fileOf(from))) === null) return false;
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
          if ((await look(on, path)) !== null) continue;
          await on
            .exchange((done) => on.sftp.mkdir(path, done))
            .catch(async (error: unknown) => {
              // Another adapter may have created it in the meantime.
              if ((await look(on, path)) === null) throw error;
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

/** What is at a path, without following links; null if nothing is. */
async function look({ sftp, exchange }: Work, path: string): Promise<{ mode: number; size: number } | null> {
  return exchange<{ mode: number; size: number }>((done) => sftp.lstat(path, done)).catch((error: unknown) => {
    if (sftpCode(error) === noSuchFile) return null;
    throw error;
  });
}

async function unlink({ sftp, exchange }: Work, path: string): Promise<void> {
  await exchange((done) => sftp.unlink(path, done)).catch((error: unknown) => {
    if (sftpCode(error) !== noSuchFile) throw error;
  });
}

/** By OpenSSH's extension, which replaces atomically. The protocol's plain rename fails if the target exists. */
async function rename(on: Work, from: string, to: string): Promise<void> {
  const { sftp, exchange } = on;
  try {
    return await exchange((done) => sftp.ext_openssh_rename(from, to, done));
  } catch (error) {
    if (sftpCode(error) !== null) throw error;
  }
  try {
    await exchange((done) => sftp.rename(from, to, done));
  } catch (error) {
    if ((await look(on, from)) === null || (await look(on, to)) === null) throw error;
    await unlink(on, to);
    await exchange((done) => sftp.rename(from, to, done));
  }
}

async function readPieces(
  { sftp, exchange }: Work,
  path: string,
  maxBytes: number,
  take: (piece: Buffer) => Promise<void>,
): Promise<"read" | null | "too-large"> {
  const handle = await exchange<Buffer>((done) => sftp.open(path, "r", done)).catch((error: unknown) => {
    if (sftpCode(error) === noSuchFile) return null;
    throw error;
  });
  if (handle === null) return null;
  let total = 0;
  const readPiece = async (position: number) => {
    const piece = Buffer.allocUnsafe(pieceBytes);
    const count = await exchange<number>((done) => sftp.read(handle, piece, 0, pieceBytes, position, done)).catch(
      (error: unknown) => {
        if (sftpCode(error) === eof) return 0;
        throw error;
      },
    );
    return piece.subarray(0, count);
  };
  try {
    for (;;) {
      const from = total;
      const round = await Promise.all(
        Array.from({ length: piecesAtOnce }, (_, index) => readPiece(from + index * pieceBytes)),
      );
      for (const piece of round) {
        total += piece.length;
        if (total > maxBytes) return "too-large";
        await take(piece);
        // A server may return less than requested; the chunks after it would be behind a gap.
        if (piece.length < pieceBytes) break;
      }
      if (round[0]?.length === 0) return "read";
    }
  } finally {
    // Errors of closing are ignored: the data was read, and the server drops handles with the connection.
    await exchange((done) => sftp.close(handle, done)).catch(() => {});
  }
}

async function writeWhole({ sftp, exchange }: Work, path: string, bytes: Uint8Array): Promise<void> {
  const handle = await exchange<Buffer>((done) => sftp.open(path, "w", done));
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < buffer.length; at += pieceBytes) {
      const length = Math.min(pieceBytes, buffer.length - at);
      await exchange((done) => sftp.write(handle, buffer, at, length, at, done));
    }
    await exchange((done) => sftp.ext_openssh_fsync(handle, done)).catch((error: unknown) => {
      // The server does not support fsync: its confirmation of the write is the only guarantee.
      if (sftpCode(error) !== null) throw error;
    });
  } finally {
    // Errors of closing are ignored: a failed write has already thrown, and a synced one is safe.
    await exchange((done) => sftp.close(handle, done)).catch(() => {});
  }
}

async function mustStayInside({ sftp, exchange }: Work, root: string, path: string): Promise<void> {
  const real = (it: string) => exchange<string>((done) => sftp.realpath(it, done));
  const [base, found] = [await real(root), await real(path)];
  if (found !== base && !found.startsWith(base.endsWith("/") ? base : `${base}/`)) {
    throw new Fault(
      "unreachable",
      `the folder "${shownName(path)}" is a link that leads out of \`at\`; replace it by a real folder`,
    );
  }
}

function serverFault(error: unknown, doing: string, path: string): Fault {
  if (error instanceof Fault) return error;
  const code = sftpCode(error);
  const said = error instanceof Error ? error.message : String(error);
  const hint =
    code === noSuchFile
      ? "there is no such folder; create it or correct the configuration"
      : code === permissionDenied
        ? "permission denied; give the user the right to read and write there"
        : code === 4
          ? "the server gives no reason; often its disk is full, or a file or folder of that name already exists"
          : said;
  return new Fault("unreachable", `${doing} "${shownName(path)}" failed: ${hint}`, { cause: error });
}
