import { readJournal } from "./read-journal.ts";
import { apiKey, type Service } from "./service.ts";

/** What an operator does after the external system was mended; returns how many entries there were. */
export async function retryDead(service: Service): Promise<number> {
  const dead = readJournal(service.dataFolder).entries.filter(({ state }) => state === "dead");
  for (const { seq } of dead) {
    const answer = await fetch(`${service.url}/admin/journal/${seq}/retry`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ operator: "chaos", reason: "the receiver was mended" }),
    });
    if (!answer.ok) throw new Error(`entry ${seq} could not be sent again: ${answer.status} ${await answer.text()}`);
    await answer.body?.cancel();
  }
  return dead.length;
}
