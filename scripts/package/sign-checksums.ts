import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";

/** Separates these signatures from every other use of the same key. */
const namespace = "crossdock-release";
/** The signer, as named in `deploy/release-keys`. */
const signer = "releases@crossdock";

/** Signs a file with an OpenSSH private key. The signature is written beside it, with `.sig` appended to the name. */
export function signChecksums(file: string, keyFile: string): string {
  rmSync(`${file}.sig`, { force: true });
  const { status, stderr, error } = spawnSync("ssh-keygen", ["-Y", "sign", "-n", namespace, "-f", keyFile, file], {
    encoding: "utf8",
  });
  if (status !== 0) throw error ?? new Error(`ssh-keygen could not sign ${file}: ${stderr}`);
  return `${file}.sig`;
}

/** Whether one of the keys has signed exactly this file. */
export function isSignedBy(file: string, keysFile: string): boolean {
  const args = ["-Y", "verify", "-n", namespace, "-f", keysFile, "-I", signer, "-s", `${file}.sig`];
  const { status, error } = spawnSync("ssh-keygen", args, { input: readFileSync(file) });
  if (error !== undefined) throw error;
  return status === 0;
}
