import { spawn } from "node:child_process";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Environment } from "../../config/settings.ts";
import type { Log } from "../../kit/log.ts";
import { systemTimers, type Timers } from "../../kit/time/timers.ts";

/** Reports the state of the process to systemd; does nothing if no service manager listens. */
export interface ServiceManager {
  /** Called when the process serves. From now on, systemd restarts it if it hangs. */
  readonly ready: (status: string) => void;
  readonly stopping: () => void;
}

export interface ServiceManagerNeeds {
  readonly env: Environment;
  /** Whether the process is of use. If not, the watchdog gets no messages, and systemd restarts the process. */
  readonly isOfUse: () => boolean;
  readonly log: Log;
  readonly timers?: Timers;
  readonly openSender?: (needs: Pick<ServiceManagerNeeds, "env" | "log">) => (message: string) => void;
}

/** Sends messages of systemd's notify protocol: ready, stopping, and regularly that the event loop still runs. */
export function notifyServiceManager(needs: ServiceManagerNeeds): ServiceManager {
  const { env, isOfUse, timers = systemTimers, openSender = sendByProgram } = needs;
  if (!env["NOTIFY_SOCKET"]) return { ready: () => {}, stopping: () => {} };
  const send = openSender(needs);
  const everyMs = heartbeatMs(env);
  let cancel = () => {};
  const sendHeartbeat = (ms: number) => {
    cancel = timers.after(ms, () => {
      if (isOfUse()) send("WATCHDOG=1");
      sendHeartbeat(ms);
    });
  };
  return {
    ready: (status) => {
      // Written in one line, because a second line would be another message.
      send(`STATUS=${status.replaceAll(/\s+/g, " ")}`);
      send("READY=1");
      if (everyMs !== null) sendHeartbeat(everyMs);
    },
    stopping: () => {
      cancel();
      send("STOPPING=1");
    },
  };
}

/**
 * Returns a third of the time after which systemd restarts the process; null if there is no watchdog for this process.
 */
function heartbeatMs(env: Environment): number | null {
  const pid = env["WATCHDOG_PID"];
  if (pid !== undefined && pid !== String(process.pid)) return null;
  const everyMs = Number(env["WATCHDOG_USEC"]) / 3_000;
  return Number.isFinite(everyMs) && everyMs >= 1 ? everyMs : null;
}

const mostReasons = 20;

/**
 * Sends messages with systemd's own program, because Node cannot send to a unix datagram socket. A small shell starts
 * the program: starting it from here would copy the page tables of this large process each time. The shell ends when
 * its input ends, which is when this process ends. If it ends before, such as killed for its memory, the next message
 * starts another one: without it, systemd would take this process for one that hangs.
 */
function sendByProgram({ env, log }: Pick<ServiceManagerNeeds, "env" | "log">): (message: string) => void {
  let shell: ReturnType<typeof startShell> | null = null;
  const known = new Set<string>();
  // Each message is reported to fail in the same way, the last one while the adapter stops.
  const trouble = (reason: string) => {
    if (known.has(reason) || known.size >= mostReasons) return;
    known.add(reason);
    log.error(
      { reason },
      "the state of the adapter cannot be reported to systemd; without systemd-notify use Type=exec in the unit",
    );
  };
  const current = () => {
    if (shell !== null) return shell;
    const started = startShell(env);
    started.on("error", (error) => trouble(error.message));
    started.once("close", () => {
      if (shell === started) shell = null;
    });
    createInterface({ input: started.stderr }).on("line", trouble);
    started.stdin.on("error", () => {});
    // A stopped adapter must not wait for the shell.
    started.unref();
    for (const stream of [started.stdin, started.stderr]) if (stream instanceof Socket) stream.unref();
    shell = started;
    return started;
  };
  return (message) => void current().stdin.write(`${message}\n`);
}

const startShell = (env: Environment) =>
  spawn("/bin/sh", ["-c", 'while IFS= read -r message; do systemd-notify "$message"; done'], {
    env,
    stdio: ["pipe", "ignore", "pipe"],
  });
