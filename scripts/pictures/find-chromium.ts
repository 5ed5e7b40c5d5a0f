import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/** The browser that takes the pictures: the variable CHROMIUM, else the first one on the path. */
export function findChromium(env: Readonly<Record<string, string | undefined>>): string {
  const places = (env["PATH"] ?? "").split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  const found = [env["CHROMIUM"], ...places].find((file) => file !== undefined && isProgram(file));
  if (found === undefined) throw new Error("no Chromium was found: install it, or name it in CHROMIUM");
  return found;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
