import { randomBytes } from "node:crypto";
import { chmodSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../config/document/config-error.ts";
import { errorCode } from "../kit/narrow.ts";

export interface ApiKey {
  readonly key: string;
  /** Made just now: the only time it may be shown. */
  readonly isNew: boolean;
  /** Where it is kept; absent where it came from the environment. */
  readonly file?: string;
}

const apiKeyFile = "api-key";

/** The key for pushes and administration: given, else the one kept in the data folder, else a new one. */
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
  if (given !== undefined) return { key: given, isNew: false };
  const kept = keptKey(file);
  if (kept !== null) return { key: kept, isNew: false, file };

  const key = `cd_${random(24).toString("base64url")}`;
  const draft = join(dataFolder, `${apiKeyFile}.${random(4).toString("hex")}`);
  writeFileSync(draft, `${key}\n`, { mode: 0o600, flag: "wx", flush: true });
  try {
    // Linking never overwrites and shows no half-written file: two first starts at once agree on one key.
    linkSync(draft, file);
  } catch {
    const other = keptKey(file);
    if (other !== null) return { key: other, isNew: false, file };
    // A file system without hard links: exclusive writing is the next best.
    writeFileSync(file, `${key}\n`, { mode: 0o600, flag: "wx", flush: true });
  } finally {
    unlinkSync(draft);
  }
  return { key, isNew: true, file };
}

/** The key of a data folder, for commands beside the adapter; null where it has none. Makes nothing. */
export const keptApiKey = (dataFolder: string): string | null => keptKey(join(dataFolder, apiKeyFile));

function makeFolder(dataFolder: string): void {
  try {
    // Only a folder made here is closed to others: one that was there may have its permissions for a reason.
    if (mkdirSync(dataFolder, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(dataFolder, 0o700);
  } catch (error) {
    const hint = "Name a folder this user may write to in CROSSDOCK_DATA_DIR (or --data).";
    throw new ConfigError([
      { source: dataFolder, text: `the data folder cannot be made: ${(error as Error).message}`, hint },
    ]);
  }
}

function keptKey(file: string): string | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    const hint = "Make it readable for this user, or give the key in CROSSDOCK_API_KEY.";
    throw new ConfigError([{ source: file, text: `the key cannot be read: ${(error as Error).message}`, hint }]);
  }
  const key = text.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  // Replacing it unasked would lock out every system that has the old one.
  throw new ConfigError([
    { source: file, text: "the file holds no key", hint: "Restore it, or remove it so that a new key is made." },
  ]);
}
