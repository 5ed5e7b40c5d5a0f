import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import type { FilesOptions } from "../../../src/connectors/files/options.ts";
import { type SftpPeer, sftpMissing, startSftp } from "../../peers/sftp.ts";
import { temporaryFolder } from "../temporary-folder.ts";

export interface StoreUnderTest {
  /** The number of random cases per property. There are fewer with SFTP, where each case needs connections. */
  readonly runs: number;
  /** Returns a new folder on this machine, and the options with which the store finds it. */
  readonly fresh: () => { readonly folder: string; readonly options: Pick<FilesOptions, "location" | "sftp"> };
}

/** Runs the same tests for every store: a folder of this machine, and a folder behind OpenSSH's own SFTP server. */
export function onEveryStore(suite: (store: StoreUnderTest) => void): void {
  describe("in a folder", () => {
    suite({
      runs: 50,
      fresh: () => {
        const folder = temporaryFolder();
        return { folder, options: { location: folder } };
      },
    });
  });
  onSftp((peer) => {
    suite({
      runs: 5,
      fresh: () => {
        const folder = mkdtempSync(join(peer().root, "store-"));
        return { folder, options: sftpOptions(peer(), folder) };
      },
    });
  });
}

/** A group of tests with OpenSSH's server. It is skipped, with the reason, if the server cannot be started. */
export function onSftp(suite: (peer: () => SftpPeer) => void): void {
  const missing = sftpMissing();
  if (missing !== null && process.env["CROSSDOCK_REQUIRE_PEERS"] !== "1") {
    console.warn(`skipped, behind SFTP: ${missing}`);
    describe.skip(`behind SFTP (${missing})`, () => suite(() => noPeer(missing)));
    return;
  }
  describe("behind SFTP", () => {
    let peer: SftpPeer | undefined;
    beforeAll(async () => {
      if (missing !== null) throw new Error(missing);
      peer = await startSftp();
    });
    afterAll(() => peer?.close());
    suite(() => peer ?? noPeer("not started"));
  });
}

export function sftpOptions(peer: SftpPeer, folder: string): Pick<FilesOptions, "location" | "sftp"> {
  const { host, port, user: username, privateKey, hostKey } = peer;
  mkdirSync(folder, { recursive: true });
  return { location: `sftp://${host}${folder}`, sftp: { port, username, privateKey, hostKey } };
}

function noPeer(reason: string): never {
  throw new Error(reason);
}
