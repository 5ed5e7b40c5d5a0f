import { adapterKey } from "../../scripts/day/own-adapter.ts";

/** By then, what the platform was told with the last step of an order counts as done, and its receipt is due. */
const hoursLater = 13;

const laterClock = `const now = Date.now; Date.now = () => now() + ${hoursLater * 3_600_000};`;

/** The environment of an adapter whose clock says that it is the next morning. */
export const nextMorning: Readonly<Record<string, string>> = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(laterClock)}`,
};

/** The first thing of the morning. Receipts that are due by time go out with any entry, and not by themselves. */
export async function pushFirstOfTheMorning(baseUrl: string): Promise<void> {
  const answer = await fetch(`${baseUrl}/inbound/stock`, {
    method: "POST",
    headers: { "x-api-key": adapterKey, "content-type": "application/json" },
    body: JSON.stringify({ itemNumber: "FIRST-OF-THE-MORNING", amount: 1 }),
  });
  if (!answer.ok) throw new Error(`/inbound/stock: ${answer.status} ${await answer.text()}`);
}
