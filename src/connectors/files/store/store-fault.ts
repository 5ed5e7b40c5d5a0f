import { Fault } from "../../../sdk/fault.ts";
import { shownName } from "./file-name.ts";

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
