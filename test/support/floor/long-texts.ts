import { onTestFinished } from "vitest";
import type { Database } from "../../../src/kit/sqlite/sqlite.ts";
import { manualClock } from "../../../src/kit/time/clock.ts";
import { manualTimers } from "../../../src/kit/time/timers.ts";
import { type LongTexts, openLongTexts } from "../../../src/store/long-texts/long-texts.ts";
import { storedSlices } from "../../../src/store/long-texts/stored-slices.ts";

/** Long orders as the service reads them, but without a thread of its own. */
export function longTextsIn(database: Database, timers = manualTimers(manualClock(0))): LongTexts {
  const answer = storedSlices(database);
  const thread = { run: async (job: Parameters<typeof answer>[0]) => answer(job), close: async () => {} };
  const longTexts = openLongTexts({ databaseFile: "", timers, thread });
  onTestFinished(longTexts.close);
  return longTexts;
}
