import { randomBytes } from "node:crypto";
import { chmodSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../config/document/config-error.ts";
import { syncFolderNow } from "../kit/files/sync-folder.ts";
import { errorCode } from "../kit/narrow.ts";
import { refuseUnwritable } from "./data-folder/refuse-unwritable.ts";

export interface ApiKey {
  readonly key: string;
  /** Whether this start generated the key. Only then may it be shown. */
  readonly isNew: boolean;
  /** The file with the key; absent if the key came from the environment. */
  readonly file?: string;
}

const apiKeyFile = "api-key";

/** The key for pushes and administration: the given one, else the one in the data folder, else a new one. */
export function apiKey({
  given,
  dataFolder,
  random = randomBytes,
}: {
  given: string | undefined;
  dataFolder: string;
  random?: (size: number) => Buffer;
}): ApiKey {
  const file = join(dataFolder, apiKeyFile);
  makeFolder(dataFolder);
  refuseUnwritable(dataFolder);
  if (given !== undefined) return { key: given, isNew: false };
  const kept = keptKey(file);
  if (kept !== null) return { key: kept, isNew: false, file };

  const key = `cd_${random(24).toString("base64url")}`;
  const draft = join(dataFolder, `${apiKeyFile}.${random(4).toString("hex")}`);
  writeFileSync(draft, `${key}\n`, { mode: 0o600, flag: "wx", flush: true });
  try {
    // A link never overwrites and never exposes a half-written file, so two first starts at once agree on one key.
    linkSync(draft, file);
  } catch {
    const other = keptKey(file);
    if (other !== null) return { key: other, isNew: false, file };
    // On file systems without hard links, an exclusive write is the next best.
    writeFileSync(file, `${key}\n`, { mode: 0o600, flag: "wx", flush: true });
  } finally {
    unlinkSync(draft);
  }
  syncFolderNow(dataFolder);
  return { key, isNew: true, file };
}

/** The key in a data folder, for commands that run beside the adapter; null if there is none. Never creates one. */
export const keptApiKey = (dataFolder: string): string | null => keptKey(join(dataFolder, apiKeyFile));

function makeFolder(dataFolder: string): void {
  try {
    // Permissions are restricted only on a folder created here: those of an existing folder may be intended.
    if (mkdirSync(dataFolder, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(dataFolder, 0o700);
  } catch (error) {
    const hint = "Set CROSSDOCK_DATA_DIR (or --data) to a folder that this user may write to.";
    throw new ConfigError([
      { source: dataFolder, text: `the data folder cannot be created: ${(error as Error).message}`, hint },
    ]);
  }
}

function keptKey(file: string): string | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    if (errorCode(error) === "EISDIR") {
      const hint = "Move it to another place; without the file, a new key is generated.";
      throw new ConfigError([{ source: file, text: "it is a folder, but must be a file", hint }]);
    }
    const hint = "Make it readable for this user, or give the key in CROSSDOCK_API_KEY.";
    throw new ConfigError([{ source: file, text: `the key cannot be read: ${(error as Error).message}`, hint }]);
  }
  const key = text.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  // The file is not replaced automatically, because that would lock out every system that has the old key.
  throw new ConfigError([
    {
      source: file,
      text: "the file contains no key",
      hint: "Restore it, or delete it so that a new key is generated.",
    },
  ]);
}
