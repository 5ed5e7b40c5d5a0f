import { setTimeout as pause } from "node:timers/promises";
import { AdapterSilent } from "../calls/adapter-silent.ts";

/** Longer than an adapter takes to come back; whoever watches still waits for the result. */
const tries = 60;
const pauseMs = 500;

/** Reads again from the beginning what broke off: half of it, taken for the whole, would show differences that are none. */
export async function untilWhole<Result>(
  baseUrl: string,
  read: () => Promise<Result>,
  wait: (ms: number) => Promise<unknown> = pause,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (!isBroken(error)) throw error;
      if (attempt === tries) throw new AdapterSilent(baseUrl, error.message);
      await wait(pauseMs);
    }
  }
}

/** The connection, and not what came over it. */
const isBroken = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && /^(UND_ERR_|E[A-Z]+$)/.test(String(error.code));
