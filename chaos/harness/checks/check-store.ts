import type { Service } from "../service/service.ts";
import { leakIn, secretIn, secrets } from "./leak-in.ts";

const pages = [
  "/admin/journal?limit=500",
  "/admin/journal?limit=x",
  "/admin/journal/1",
  "/admin/journal/nothing",
  "/admin/orders/nobody/timeline",
  "/admin/targets",
  "/health/ready",
  "/no-such-page",
] as const;

/** Requests the pages for operators and tools, with the key and without it, and reads the log (I7). */
export async function checkStore(service: Service): Promise<readonly string[]> {
  const leaks: string[] = [];
  for (const page of pages) {
    for (const key of [secrets.apiKey, "wrong"]) {
      const answer = await fetch(service.url + page, { headers: { authorization: `Bearer ${key}` } });
      const leak = leakIn(`${JSON.stringify([...answer.headers])}\n${await answer.text()}`);
      if (leak !== null) leaks.push(`${page} shows ${leak}`);
    }
  }
  const inLog = secretIn(service.output());
  if (inLog !== null) leaks.push(`the log shows ${inLog}`);
  return leaks;
}
