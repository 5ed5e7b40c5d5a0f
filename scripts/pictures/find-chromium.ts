import { accessSync, constants } from "node:fs";
import { posix, win32 } from "node:path";

/** The machine to look at; a test describes another one. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly isProgram: (file: string) => boolean;
}

const names = ["chromium", "chromium-browser", "google-chrome", "chrome", "microsoft-edge", "msedge"];
const macApps = ["Google Chrome", "Chromium", "Microsoft Edge"];
const windowsPrograms = [
  ...["Google\\Chrome\\Application\\chrome.exe", "Chromium\\Application\\chrome.exe"],
  "Microsoft\\Edge\\Application\\msedge.exe",
];

/**
 * Returns a browser of the Chromium family: the one that the variable CHROMIUM names, else the first one on the path or
 * where its installer puts it. Throws an error with a text for people if there is none.
 */
export function findChromium({ env, platform, isProgram }: Machine = thisMachine): string {
  const named = env["CHROMIUM"];
  if (named !== undefined && named !== "") {
    if (isProgram(named)) return named;
    throw new Error(`CHROMIUM names ${named}, and there is no such program`);
  }
  const found = [...onPath(env, platform), ...whereInstalled(env, platform)].find(isProgram);
  if (found !== undefined) return found;
  throw new Error("no browser was found: install Chromium (Debian: apt-get install chromium), or name it in CHROMIUM");
}

function onPath(env: Machine["env"], platform: NodeJS.Platform): string[] {
  const isWindows = platform === "win32";
  const { delimiter, join } = isWindows ? win32 : posix;
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.flatMap((folder) => names.map((name) => join(folder, isWindows ? `${name}.exe` : name)));
}

/** On macOS and Windows, browsers are installed outside of the path. */
function whereInstalled(env: Machine["env"], platform: NodeJS.Platform): string[] {
  if (platform === "darwin") {
    const folders = ["/Applications", ...(env["HOME"] === undefined ? [] : [`${env["HOME"]}/Applications`])];
    return folders.flatMap((folder) => macApps.map((app) => `${folder}/${app}.app/Contents/MacOS/${app}`));
  }
  if (platform !== "win32") return [];
  const folders = [env["ProgramFiles"], env["ProgramFiles(x86)"], env["LOCALAPPDATA"]];
  return folders
    .filter((folder) => folder !== undefined)
    .flatMap((folder) => windowsPrograms.map((program) => win32.join(folder, program)));
}

const thisMachine: Machine = {
  env: process.env,
  platform: process.platform,
  isProgram: (file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  },
};
