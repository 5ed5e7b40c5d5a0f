import { createHash } from "node:crypto";
import { createReadStream, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

export const journalName = "crossdock.db";
export const manifestName = "backup.json";

/** What a backup says of itself, so that it can be proved whole before it replaces anything. */
export interface BackupManifest {
  readonly format: 1;
  readonly madeAt: number;
  /** Of the program that made it. */
  readonly version: string;
  readonly entries: number;
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
}

export async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** The manifest of a backup whose files are all there as they were written; throws what is wrong with it. */
export async function readBackup(folder: string): Promise<BackupManifest> {
  const manifest = parsed(folder);
  for (const { name, bytes, sha256 } of manifest.files) {
    const file = join(folder, name);
    if (sizeOf(file) !== bytes) throw new Error(`${name} of the backup is missing or cut off`);
    if ((await digestOf(file)) !== sha256) throw new Error(`${name} of the backup is not as it was written`);
  }
  if (!manifest.files.some(({ name }) => name === journalName)) throw new Error("the backup has no journal");
  return manifest;
}

function parsed(folder: string): BackupManifest {
  let manifest: Partial<BackupManifest>;
  try {
    manifest = JSON.parse(readFileSync(join(folder, manifestName), "utf8")) as Partial<BackupManifest>;
  } catch (error) {
    throw new Error(`${folder} is no backup: ${manifestName} cannot be read`, { cause: error });
  }
  const { format, files = [] } = manifest;
  if (format !== 1) throw new Error(`${folder} was made by a newer Crossdock`);
  // A name is a file of that folder and nothing else: it is copied into the data folder.
  const isSound = files.every(({ name }) => /^(?:[\w-]+\.db|api-key)$/.test(name));
  if (!Array.isArray(files) || !isSound) throw new Error(`${folder} is no backup: ${manifestName} is damaged`);
  return { ...(manifest as BackupManifest), files };
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return -1;
  }
}
