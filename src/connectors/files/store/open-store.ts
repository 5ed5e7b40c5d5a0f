import type { Timers } from "../../../kit/timers.ts";
import type { FilesOptions } from "../options.ts";
import type { FileStore } from "./file-store.ts";
import { folderStore } from "./folder-store.ts";
import { sftpLogin } from "./sftp-login.ts";
import { sftpStore } from "./sftp-store.ts";

/** The store that `at` names. */
export function openStore(options: Pick<FilesOptions, "at" | "sftp">, timers: Timers): FileStore {
  const server = sftpLogin(options);
  return server === null ? folderStore(options.at) : sftpStore(server.root, server.login, timers);
}
