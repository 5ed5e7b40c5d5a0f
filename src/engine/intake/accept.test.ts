import { expect, test } from "vitest";
import { openMemoryJournal } from "../../journal/memory/open-memory-journal.ts";
import { silentLog } from "../../kit/log.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers, steadyTime } from "../../kit/time/timers.ts";
import { createOutbox } from "../delivery/create-outbox.ts";
import { createAccept } from "./accept.ts";
import { readPush } from "./read-push.ts";

test("a push with an idempotency key is known for a week of time that has passed, whatever the clock says", async () => {
  const clock = manualClock();
  const timers = manualTimers(clock);
  let made = 0;
  const common = {
    ...{ clock, timers, log: silentLog, journal: openMemoryJournal({}), onTouched: () => {} },
    ...{ newToken: () => `token-${++made}`, newEntryId: () => `evt_${++made}`, newReference: () => "reference" },
  };
  const { acceptIdempotent } = createAccept({
    ...{ ...common, steadyTime: steadyTime({ clock, timers }), isDiskFull: () => false },
    outbox: createOutbox({ ...common, targets: new Map(), random: () => 0.5 }),
  });
  const dates = { timeZone: "UTC", timeOfDay: "17:00" };
  const reading = readPush("stock", { itemNumber: "A-1", amount: 7 }, dates);
  const entries = "entries" in reading ? reading.entries : [];
  const send = () => acceptIdempotent({ keys: ["k"], digest: "d", note: "" }, entries);
  expect(await send()).toMatchObject({ ids: [expect.any(String)] });
  clock.advance({ days: 8 });
  expect(await send()).toMatchObject({ known: { digest: "d" } });
  await timers.pass(6 * 24 * 3_600_000);
  clock.advance({ days: -30 });
  expect(await send()).toMatchObject({ known: { digest: "d" } });
  await timers.pass(2 * 24 * 3_600_000);
  expect(await send()).toMatchObject({ ids: [expect.any(String)] });
});
