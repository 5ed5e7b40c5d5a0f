import { Fault } from "../../../operation/fault.ts";
import { shownName } from "./file-store.ts";
import { type Exchange, type Sftp, sftpCode } from "./sftp-session.ts";

export const eof = 1;
export const noSuchFile = 2;
const permissionDenied = 3;
const pieceBytes = 1 << 15;
/** Requests in flight: one round trip per chunk would make large files slow on a distant server. */
const piecesAtOnce = 16;

export interface Attributes {
  readonly mode: number;
  readonly size: number;
  /** In seconds. */
  readonly mtime: number;
}
export type Work = { readonly sftp: Sftp; readonly exchange: Exchange };

/** What is at a path, without following links; null if nothing is. */
export async function stat({ sftp, exchange }: Work, path: string): Promise<Attributes | null> {
  return exchange<Attributes>((done) => sftp.lstat(path, done)).catch((error: unknown) => {
    if (sftpCode(error) === noSuchFile) return null;
    throw error;
  });
}

export async function unlink({ sftp, exchange }: Work, path: string): Promise<void> {
  await exchange((done) => sftp.unlink(path, done)).catch((error: unknown) => {
    if (sftpCode(error) !== noSuchFile) throw error;
  });
}

/** Uses OpenSSH's extension, which replaces atomically. The protocol's plain rename fails if the target exists. */
export async function rename(on: Work, from: string, to: string): Promise<void> {
  const { sftp, exchange } = on;
  try {
    return await exchange((done) => sftp.ext_openssh_rename(from, to, done));
  } catch (error) {
    if (sftpCode(error) !== null) throw error;
  }
  try {
    await exchange((done) => sftp.rename(from, to, done));
  } catch (error) {
    if ((await stat(on, from)) === null || (await stat(on, to)) === null) throw error;
    await unlink(on, to);
    await exchange((done) => sftp.rename(from, to, done));
  }
}

export async function readPieces(
  { sftp, exchange }: Work,
  path: string,
  { size, maxBytes }: { readonly size: number; readonly maxBytes: number },
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
        Array.from({ length: Math.min(piecesAtOnce, Math.max(1, Math.ceil((size - from) / pieceBytes))) }, (_, index) =>
          readPiece(from + index * pieceBytes),
        ),
      );
      // Counted before: a piece that was taken may have no bytes any more.
      const isOver = round[0]?.length === 0;
      for (const piece of round) {
        const { length } = piece;
        total += length;
        if (total > maxBytes) return "too-large";
        await take(piece);
        // A server may return less than requested. The chunks after it would leave a gap, so they are read again.
        if (length < pieceBytes) break;
      }
      if (isOver) return "read";
    }
  } finally {
    // Errors of closing are ignored: the data was read, and the server drops handles with the connection.
    await exchange((done) => sftp.close(handle, done)).catch(() => {});
  }
}

export async function writeWhole({ sftp, exchange }: Work, path: string, bytes: Uint8Array): Promise<void> {
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

export async function mustStayInside({ sftp, exchange }: Work, root: string, path: string): Promise<void> {
  const real = (it: string) => exchange<string>((done) => sftp.realpath(it, done));
  const [base, found] = [await real(root), await real(path)];
  if (found !== base && !found.startsWith(base.endsWith("/") ? base : `${base}/`)) {
    throw new Fault(
      "unreachable",
      `the folder "${shownName(path)}" is a link that leads out of \`location\`; replace it by a real folder`,
    );
  }
}

export function serverFault(error: unknown, doing: string, path: string): Fault {
  if (error instanceof Fault) return error;
  const code = sftpCode(error);
  const reason = error instanceof Error ? error.message : String(error);
  const hint =
    code === noSuchFile
      ? "there is no such folder; create it or correct the configuration"
      : code === permissionDenied
        ? "permission denied; give the user the right to read and write there"
        : code === 4
          ? "the server gives no reason; often its disk is full, too many of its files are open, or a file or folder of that name already exists"
          : reason;
  return new Fault("unreachable", `${doing} "${shownName(path)}" failed: ${hint}`, { cause: error });
}
