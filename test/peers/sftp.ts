import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";

export interface SftpPeer {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly privateKey: string;
  /** Fingerprint of the server's key. */
  readonly hostKey: string;
  /** A folder of this machine that the server shows under the same path. */
  readonly root: string;
  /** Ends every connection and takes no new one until it is begun again on the same port. */
  readonly stop: () => Promise<void>;
  readonly begin: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const sshd = "/usr/sbin/sshd";
const sftpServer = "/usr/lib/openssh/sftp-server";

/** Why OpenSSH's server cannot be started here; null where it can. */
export function sftpMissing(): string | null {
  const missing = [sshd, sftpServer].find((path) => !existsSync(path));
  return missing === undefined ? null : `${missing} is not there (Debian: apt install openssh-server)`;
}

/** OpenSSH's own server on loopback, with keys and configuration of its own in a temporary folder. */
export async function startSftp(): Promise<SftpPeer> {
  const folder = mkdtempSync(join(tmpdir(), "crossdock-sshd-"));
  const root = join(folder, "root");
  mkdirSync(root);
  for (const name of ["host", "user"]) {
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", join(folder, name)]);
  }
  // The server refuses to run as root without it; Debian's service makes it at every start.
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true });
  const port = await freePort();
  const configuration = [
    ...[`Port ${port}`, "ListenAddress 127.0.0.1", `HostKey ${join(folder, "host")}`, "PidFile none", "UsePAM no"],
    ...[`AuthorizedKeysFile ${join(folder, "user.pub")}`, "StrictModes no", "PasswordAuthentication no"],
    ...["KbdInteractiveAuthentication no", `Subsystem sftp ${sftpServer}`],
  ];
  writeFileSync(join(folder, "sshd_config"), `${configuration.join("\n")}\n`);
  const printed = execFileSync("ssh-keygen", ["-l", "-f", join(folder, "host.pub")], { encoding: "utf8" });
  let child: ReturnType<typeof spawn> | undefined;
  const begin = async () => {
    child = spawn(sshd, ["-D", "-e", "-f", join(folder, "sshd_config")], { stdio: "ignore" });
    await untilListening(port);
  };
  const stop = async () => {
    const ending = child;
    if (ending?.pid === undefined) return;
    child = undefined;
    const ended = new Promise((resolve) => ending.once("exit", resolve));
    endTree(ending.pid);
    await ended;
  };
  await begin();
  return {
    host: "127.0.0.1",
    port,
    user: userInfo().username,
    privateKey: readFileSync(join(folder, "user"), "utf8"),
    hostKey: /SHA256:\S+/.exec(printed)?.[0] ?? "",
    root,
    begin,
    stop,
    close: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Each connection is a process of its own, and all of them must end with the server. */
function endTree(pid: number): void {
  for (const child of childrenOf(pid)) endTree(child);
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function childrenOf(pid: number): number[] {
  try {
    const printed = execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" });
    return printed.split("\n").map(Number).filter(Boolean);
  } catch {
    return [];
  }
}

async function untilListening(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const isUp = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true));
      socket.on("error", () => resolve(false));
      socket.on("connect", () => socket.destroy());
    });
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("sshd does not listen");
}
