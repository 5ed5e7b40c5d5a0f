import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export const newFolder = () => mkdtempSync(join(tmpdir(), "crossdock-"));
export const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true });

/** A folder of its own for one test, gone afterwards. */
export function temporaryFolder(): string {
  const folder = newFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}
