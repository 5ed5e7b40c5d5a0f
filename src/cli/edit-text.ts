import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommandFailure } from "./command-failure.ts";

/** Lets a person change a text in their editor, in a file that nobody else can read and that is gone afterwards. */
export async function editText(text: string, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const editor = env["VISUAL"] || env["EDITOR"];
  if (!editor) {
    throw new CommandFailure("no editor is set", { next: "set EDITOR, or give the new body with --body FILE" });
  }
  const folder = mkdtempSync(join(tmpdir(), "crossdock-edit-"));
  const file = join(folder, "body.json");
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // Through the shell: the variable is a command line by custom, such as `code --wait`.
    const child = spawn(`${editor} "${file}"`, { shell: true, stdio: "inherit", env });
    // `close` comes with the exit code first, null after a signal; `once` types every event as any.
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) {
      throw new CommandFailure(`the editor ended with ${code}; nothing was changed`, { next: "check EDITOR" });
    }
    return readFileSync(file, "utf8");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
