import type { Clock } from "../../../kit/clock.ts";
import type { Database } from "../../../kit/sqlite.ts";
import type { Outcome } from "../../../sdk/outcome.ts";
import { ok } from "../../../sdk/outcome.ts";
import { ReadyJsonList } from "../../../sdk/ready-json.ts";

const msPerDay = 86_400_000;

interface Page {
  readonly last: number | null;
  readonly texts: Uint8Array | null;
}

/**
 * The orders nobody has begun, as pages of ready text. Each page starts behind the last id of the one before,
 * so that orders coming and going between two pages make none appear twice and none that stays be missed.
 */
export function listWorkOrders(needs: {
  readonly database: Database;
  readonly clock: Clock;
  readonly expireAfterDays: number | undefined;
}): () => Outcome<"listWorkOrders"> {
  const { database, clock, expireAfterDays } = needs;
  // Joined in the order of the inner query; asking for that order once more would sort every text and cost double.
  // As bytes: decoding them, for the answer to encode them again, would take longer than reading them.
  const select = database.statement(
    `SELECT max(id) AS last, CAST(group_concat(json, ',') AS BLOB) AS texts
     FROM (SELECT id, json FROM work_order WHERE state = 'waiting' AND id > ? AND due_at >= ? ORDER BY id LIMIT 50)`,
  );

  function* pages(oldestDueAt: number): Generator<Uint8Array> {
    let last = 0;
    while (true) {
      const page = select.get<Page>(last, oldestDueAt);
      if (page === undefined || page.last === null || page.texts === null) return;
      yield page.texts;
      last = page.last;
    }
  }

  return () => {
    const oldestDueAt =
      expireAfterDays === undefined ? Number.MIN_SAFE_INTEGER : Math.floor(clock.now() - expireAfterDays * msPerDay);
    return ok(new ReadyJsonList(pages(oldestDueAt)));
  };
}
