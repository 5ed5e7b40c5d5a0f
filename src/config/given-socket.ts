import { readFileSync, readlinkSync } from "node:fs";
import type { ConfigProblem } from "./document/config-error.ts";

/** A socket on which the service manager listens. It stays open while the adapter is replaced. */
export interface GivenSocket {
  readonly fd: number;
  readonly host: string;
  readonly port: number;
}

/** What the system knows about the process. Passed in, so that tests need no socket. */
export interface ProcessFiles {
  readonly pid: number;
  readonly linkOf: (fd: number) => string;
  /** The tables of TCP sockets, for IPv4 and IPv6. */
  readonly tables: () => readonly string[];
}

const processFiles: ProcessFiles = {
  pid: process.pid,
  linkOf: (fd) => readlinkSync(`/proc/self/fd/${fd}`),
  // Read below `self`, because a service may see nothing else of /proc.
  tables: () => ["tcp", "tcp6"].map((name) => readFileSync(`/proc/self/net/${name}`, "utf8")),
};

const firstFd = 3;
const hint = "Write one ListenStream= with a port, or an address and a port, into the socket unit.";
const problem = (text: string): ConfigProblem => ({ source: "LISTEN_FDS", text, hint });

/**
 * Returns the socket of systemd's socket activation, or null. Child processes inherit the variables, so the process id
 * in them decides whether they are for this process.
 */
export function givenSocket(
  env: Readonly<Record<string, string | undefined>>,
  files: ProcessFiles = processFiles,
): GivenSocket | ConfigProblem | null {
  if (env["LISTEN_FDS"] === undefined || env["LISTEN_PID"] !== String(files.pid)) return null;
  if (env["LISTEN_FDS"] !== "1") return problem(`the service manager passed ${env["LISTEN_FDS"]} sockets, not one`);
  try {
    const inode = /^socket:\[(\d+)\]$/.exec(files.linkOf(firstFd))?.[1];
    const place = files.tables().flatMap((table) => placeOf(table, inode))[0];
    return place === undefined ? problem("the socket does not listen on a TCP port") : { fd: firstFd, ...place };
  } catch (error) {
    return problem(`the socket cannot be used: ${(error as Error).message}`);
  }
}

const listening = "0A";

function placeOf(table: string, inode: string | undefined): { host: string; port: number }[] {
  return table.split("\n").flatMap((line) => {
    const [, local = "", , state, , , , , , found] = line.trim().split(/\s+/);
    if (found === undefined || found !== inode || state !== listening) return [];
    const [address = "", port = ""] = local.split(":");
    return [{ host: addressIn(address), port: Number.parseInt(port, 16) }];
  });
}

/** The kernel writes an address as words of four bytes, each with its last byte first. */
function addressIn(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => word.match(/../g)?.reverse() ?? []);
  if (bytes.length === 4) return bytes.map((byte) => Number.parseInt(byte, 16)).join(".");
  const groups = Array.from({ length: 8 }, (_, at) => `${bytes[2 * at]}${bytes[2 * at + 1]}`);
  // The URL gives the shortest form, so that ::1 is recognised.
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}
