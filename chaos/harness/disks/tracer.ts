import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Stage } from "../stage.ts";

const syncs = "fsync,fdatasync";

/** A wrapper command that makes every fsync take this much longer. Other system calls run at full speed. */
export const slowSyncs = (delayMs: number): readonly string[] => [
  ...["strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "-e", `trace=${syncs}`],
  ...["-e", `inject=${syncs}:delay_exit=${delayMs * 1000}`],
];

export type SyncFault =
  /** The first fsync of each thread from now on. */
  | "once"
  /** Every twentieth fsync. */
  | "sometimes"
  | "always";

const when: Record<SyncFault, string> = { once: ":when=1", sometimes: ":when=1+20", always: "" };

/** From now until the returned function is called, fsyncs of a running process fail with an I/O error. */
export async function failSyncs(stage: Stage, pid: number, fault: SyncFault): Promise<() => Promise<void>> {
  const inject = `inject=${syncs}:error=EIO${when[fault]}`;
  const tracer = spawn("strace", ["-f", "-o", "/dev/null", "-e", `trace=${syncs}`, "-e", inject, "-p", String(pid)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(tracer, "exit");
  const detach = async () => {
    if (tracer.exitCode === null && tracer.signalCode === null) tracer.kill("SIGINT");
    await exited;
  };
  stage.onEnd(detach);
  // It prints "attached" for each thread as soon as it traces it.
  await Promise.race([once(tracer.stderr, "data"), exited]);
  tracer.stderr.resume();
  return detach;
}
