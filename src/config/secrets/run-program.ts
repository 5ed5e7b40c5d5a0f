import { type ChildProcess, spawn } from "node:child_process";
import { systemTimers, type Timers } from "../../kit/time/timers.ts";
import type { Environment } from "../settings.ts";

/** Runs a program and returns what it printed. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<string>;

const timeoutMs = 10_000;
const maxBytes = 64 * 1024;

export const runProgram =
  (env: Environment, { after }: Pick<Timers, "after"> = systemTimers): RunProgram =>
  (program, args) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, args, { env: { ...env }, stdio: "pipe", detached: hasGroups });
      const printed: Buffer[] = [];
      const complaints: Buffer[] = [];
      let cutShort: string | null = null;

      const end = (why: string) => {
        cutShort ??= why;
        killGroup(child);
        // Without this, whoever left the group and holds the other end would be waited for.
        child.stdout.destroy();
        child.stderr.destroy();
      };
      const endWithAdapter = () => killGroup(child);
      process.once("exit", endWithAdapter);
      const cancel = after(timeoutMs, () => end(`no answer within ${timeoutMs / 1000} seconds`));
      const over = () => {
        cancel();
        process.removeListener("exit", endWithAdapter);
      };

      const keep = (pieces: Buffer[]) => {
        let bytes = 0;
        return (piece: Buffer) => {
          bytes += piece.length;
          if (bytes > maxBytes) return end(`it printed more than ${maxBytes / 1024} KiB`);
          pieces.push(piece);
        };
      };
      child.stdout.on("data", keep(printed));
      child.stderr.on("data", keep(complaints));
      // The program may end without reading anything.
      child.stdin.on("error", () => {});
      child.stdin.end();
      child.on("error", (error) => {
        over();
        reject(error);
      });
      child.on("close", (code, signal) => {
        over();
        if (code === 0 && cutShort === null) return resolve(Buffer.concat(printed).toString("utf8"));
        const own = Buffer.concat(complaints).toString("utf8").trim();
        reject(new Error(own || (cutShort ?? endOf(code, signal))));
      });
    });

const endOf = (code: number | null, signal: NodeJS.Signals | null): string =>
  signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;

/** Windows has no process groups; there only the program itself is ended. */
const hasGroups = process.platform !== "win32";

/** Ends the program and whatever it has started. A script ended alone leaves its programs running, one per try. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (hasGroups) process.kill(-child.pid, "SIGKILL");
    else child.kill("SIGKILL");
  } catch {
    // All of them have ended.
  }
}
