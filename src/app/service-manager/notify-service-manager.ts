import { spawn } from "node:child_process";
import { Socket } from "node:net";
import type { Environment } from "../../config/settings.ts";
import type { Log } from "../../kit/log.ts";
import { systemTimers, type Timers } from "../../kit/time/timers.ts";

/** Tells systemd how the process is; does nothing where no service manager listens. */
export interface ServiceManager {
  /** It serves. From now on, a process that hangs is restarted. */
  readonly ready: (status: string) => void;
  readonly stopping: () => void;
}

export interface ServiceManagerNeeds {
  readonly env: Environment;
  /** Whether the process is of use; otherwise the watchdog is not fed, and systemd restarts the process. */
  readonly isOfUse: () => boolean;
  readonly log: Log;
  readonly timers?: Timers;
  readonly openSender?: (needs: Pick<ServiceManagerNeeds, "env" | "log">) => (message: string) => void;
}

/** Messages of systemd's notify protocol: ready, stopping, and at regular times that the event loop still turns. */
export function notifyServiceManager(needs: ServiceManagerNeeds): ServiceManager {
  const { env, isOfUse, timers = systemTimers, openSender = sendByProgram } = needs;
  if (!env["NOTIFY_SOCKET"]) return { ready: () => {}, stopping: () => {} };
  const send = openSender(needs);
  const everyMs = beatMs(env);
  let cancel = () => {};
  const beat = (ms: number) => {
    cancel = timers.after(ms, () => {
      if (isOfUse()) send("WATCHDOG=1");
      beat(ms);
    });
  };
  return {
    ready: (status) => {
      // One line: a second one would be another message.
      send(`STATUS=${status.replaceAll(/\s+/g, " ")}`);
      send("READY=1");
      if (everyMs !== null) beat(everyMs);
    },
    stopping: () => {
      cancel();
      send("STOPPING=1");
    },
  };
}

/** A third of the time after which systemd restarts the process; null if it has no watchdog, or not for this process. */
function beatMs(env: Environment): number | null {
  const pid = env["WATCHDOG_PID"];
  if (pid !== undefined && pid !== String(process.pid)) return null;
  const everyMs = Number(env["WATCHDOG_USEC"]) / 3_000;
  return Number.isFinite(everyMs) && everyMs >= 1 ? everyMs : null;
}

/**
 * Node cannot send to a unix datagram socket, so systemd's own program does. A small shell starts it: starting it from
 * here would copy the page tables of this large process each time. The shell ends when its input does, with us.
 */
function sendByProgram({ env, log }: Pick<ServiceManagerNeeds, "env" | "log">): (message: string) => void {
  const command = 'while IFS= read -r message; do systemd-notify "$message"; done';
  const shell = spawn("/bin/sh", ["-c", command], { env, stdio: ["pipe", "ignore", "pipe"] });
  const trouble = (reason: string) =>
    log.error(
      { reason },
      "systemd cannot be told how the adapter is; without systemd-notify use Type=exec in the unit",
    );
  shell.on("error", (error) => trouble(error.message));
  shell.stderr.on("data", (text: Buffer) => trouble(text.toString().trim()));
  shell.stdin.on("error", () => {});
  // A stopped adapter must not wait for it.
  shell.unref();
  for (const stream of [shell.stdin, shell.stderr]) if (stream instanceof Socket) stream.unref();
  return (message) => void shell.stdin.write(`${message}\n`);
}
