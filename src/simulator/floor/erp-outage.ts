import { request } from "undici";
import type { Tally } from "../calls/tally.ts";

interface OutageNeeds {
  /** Where the external system's stand-in is told to go down and come back. */
  readonly controlUrl: string | null;
  /** For which share of the orders it is down. */
  readonly share: number;
  readonly tally: Tally;
}

const beginsAt = 0.4;

/** Takes the external system away in the middle of the shift and brings it back; called with the share of orders done. */
export interface ErpOutage {
  readonly at: (done: number) => Promise<void>;
  readonly end: () => Promise<void>;
}

export function openErpOutage({ controlUrl, share, tally }: OutageNeeds): ErpOutage {
  let state: "before" | "down" | "over" = controlUrl === null || share === 0 ? "over" : "before";
  const tell = async (isDown: boolean) => {
    const answer = await request(`${controlUrl}/down`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ down: isDown }),
    }).catch((error: unknown) => ({ statusCode: String(error), body: null }));
    await answer.body?.dump();
    if (Number(answer.statusCode) < 300) return;
    tally.note({
      kind: "answer",
      order: null,
      item: null,
      text: `the external system could not be told to ${isDown ? "go down" : "come back"}`,
      expected: "a status below 300",
      found: String(answer.statusCode),
      calls: [],
    });
  };
  const end = async () => {
    if (state === "down") await tell(false);
    state = "over";
  };
  return {
    at: async (done) => {
      if (state === "before" && done >= beginsAt) {
        state = "down";
        tally.countFault("erp-down");
        await tell(true);
      } else if (state === "down" && done >= beginsAt + share) await end();
    },
    end,
  };
}
