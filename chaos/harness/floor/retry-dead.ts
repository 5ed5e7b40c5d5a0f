import { leakIn, secrets } from "../checks/leak-in.ts";
import { readJournal } from "../checks/read-journal.ts";
import type { Service } from "../service/service.ts";

/** Retries all dead entries, as an operator would after a correction; returns their number. */
export async function retryDead(service: Service, direction: "out" | "in" = "out"): Promise<number> {
  const dead = readJournal(service.dataFolder, direction).entries.filter(({ state }) => state === "dead");
  for (const { seq } of dead) {
    const answer = await fetch(`${service.url}/admin/journal/${seq}/retry`, {
      method: "POST",
      headers: { authorization: `Bearer ${secrets.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ operator: "chaos", reason: "the receiver was mended" }),
    });
    const text = await answer.text();
    const leak = leakIn(text);
    if (leak !== null) throw new Error(`an answer of the journal shows ${leak}`);
    if (!answer.ok) throw new Error(`entry ${seq} could not be sent again: ${answer.status} ${text}`);
  }
  return dead.length;
}
