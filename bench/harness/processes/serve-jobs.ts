import type { FromChild } from "./child.ts";

/** The program of a child process. It is opened once and then given one job after another. */
export interface JobServer {
  /** Sent to the parent when the program is ready. */
  readonly ready?: unknown;
  readonly run?: (job: unknown) => unknown;
  readonly close?: () => Promise<void>;
}

/** The settings from the parent. */
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
  // The parent has disconnected to end this process, or has crashed. There is nothing left to do.
  process.on("disconnect", async () => {
    await server.close?.();
    process.exit();
  });
  send({ ready: server.ready ?? null });
}

function send(message: FromChild): void {
  process.send?.(message);
}
