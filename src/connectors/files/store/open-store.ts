import type { Timers } from "../../../kit/time/timers.ts";
import { Fault } from "../../../operation/fault.ts";
import type { FilesOptions } from "../options.ts";
import type { FileStore } from "./file-store.ts";
import { folderStore } from "./folder-store.ts";
import type { SftpLogin } from "./sftp-session.ts";
import { sftpStore } from "./sftp-store.ts";

/** The store that `location` names. */
export function openStore(options: Pick<FilesOptions, "location" | "sftp">, timers: Timers): FileStore {
  const server = sftpLogin(options);
  return server === null ? folderStore(options.location) : sftpStore(server.root, server.login, timers);
}

/** The server that `location` or `sftp` names, and the folder there; null where the folder is one of this machine. */
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
  return { root: url === null ? location : decodeURIComponent(url.pathname) || "/", login };
}

function addressOf(location: string): URL {
  const url = URL.parse(location);
  if (url === null) throw new Fault("invalid", "`location` is not an address such as sftp://host/folder");
  if (url.username !== "" || url.password !== "") {
    throw new Fault("invalid", "user and password belong under `sftp`, not into the address of `location`");
  }
  return url;
}
