import type { Timers } from "../../../kit/time/timers.ts";
import { Fault } from "../../../operation/fault.ts";
import type { FilesOptions } from "../options.ts";
import type { FileStore } from "./file-store.ts";
import { folderStore } from "./folder-store.ts";
import type { SftpLogin } from "./sftp-session.ts";
import { sftpStore } from "./sftp-store.ts";

/** Opens the store that `at` names. */
export function openStore(options: Pick<FilesOptions, "at" | "sftp">, timers: Timers): FileStore {
  const server = sftpLogin(options);
  return server === null ? folderStore(options.at) : sftpStore(server.root, server.login, timers);
}

/** The server that `at` or `sftp` names, and the folder there; null for a local folder. */
export function sftpLogin({ at, sftp }: Pick<FilesOptions, "at" | "sftp">): { root: string; login: SftpLogin } | null {
  const url = /^sftp:\/\//i.test(at) ? addressOf(at) : null;
  if (url === null && sftp === undefined) {
    if (/^[a-z][a-z0-9+.-]+:\/\//i.test(at))
      throw new Fault("invalid", "the only supported address is sftp://host/folder");
    return null;
  }
  if (sftp === undefined)
    throw new Fault("invalid", "an sftp:// address needs `sftp` with user, password or key, and hostKey");
  const host = url?.hostname || sftp.host;
  if (host === undefined)
    throw new Fault("invalid", "the host is missing: set `at: sftp://host/folder`, or `host` under `sftp`");
  const { user, password, privateKey, passphrase, hostKey } = sftp;
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
  return { root: url === null ? at : decodeURIComponent(url.pathname) || "/", login };
}

function addressOf(at: string): URL {
  const url = URL.parse(at);
  if (url === null) throw new Fault("invalid", "`at` is not an address such as sftp://host/folder");
  if (url.username !== "" || url.password !== "") {
    throw new Fault("invalid", "user and password belong under `sftp`, not in the address of `at`");
  }
  return url;
}
