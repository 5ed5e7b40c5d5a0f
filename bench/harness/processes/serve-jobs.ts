import type { FromChild } from "./child.ts";

/** What a program of a child process is: opened once, then given jobs one after another. */
export interface JobServer {
  /** Told to the parent when the program can work. */
  readonly ready?: unknown;
  readonly run?: (job: unknown) => unknown;
  readonly close?: () => Promise<void>;
}

/** The settings the parent gave. */
export const childSettings = <Settings>(): Settings => JSON.parse(process.argv[2] ?? "null") as Settings;

export async function serveJobs(open: () => JobServer | Promise<JobServer>): Promise<void> {
  const server = await open();
  process.on("message", async (message: { job: unknown }) => {
    try {
      send({ result: await server.run?.(message.job) });
    } catch (error) {
      send({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error), during: "job" });
    }
  });
  // The parent hangs up to end us, or has died: in both cases nothing is left to do here.
  process.on("disconnect", async () => {
    await server.close?.();
    process.exit();
  });
  send({ ready: server.ready ?? null });
}

function send(message: FromChild): void {
  process.send?.(message);
}
