import { readJournal } from "../harness/checks/read-journal.ts";
import { promiseFigures, settleAndCheck } from "../harness/checks/settle.ts";
import { openFloor } from "../harness/floor/floor.ts";
import { toExternalSystem, toPlatform, type Way } from "../harness/floor/way.ts";
import { startReceiver } from "../harness/receiver/receiver.ts";
import { defineScenario, type Report } from "../harness/scenario.ts";
import { startService } from "../harness/service/service.ts";
import type { Stage } from "../harness/stage.ts";
import { pause } from "../harness/wait.ts";

const connections = 16;

/**
 * Some systems deliver a sender's hang-up only after the answer was written and counted as delivered. The repeat is then
 * stored, marked as a possible repeat, as promised for the doubtful case. How often depends on the system and its load:
 * 0 to 12 of 1,500 events were seen, and up to 27 of 640 beside other tests on two cores, so the short form allows for
 * more than the full one. A service that ignores hang-ups stores 16 to 46 of 1,500 twice; the tests of
 * when-answer-received catch it whatever the load.
 */
const sizes = { full: { events: 20_000, lateHangUps: 0.005 }, short: { events: 640, lateHangUps: 0.06 } };

const platformRetries = defineScenario({
  name: "platform-retries",
  summary:
    "The platform times out on a slow service and sends the same bytes again: each event is stored once, and an event that really happened twice is stored twice.",
  ...sizes,
  run: impatient(toExternalSystem),
});

const forwardRetries = defineScenario({
  name: "forward-retries",
  summary:
    "Senders time out on a slow service and push the same again, sometimes even after the answer: each push is stored once and sent to the platform once; it is recognised by its Idempotency-Key or by its content.",
  ...sizes,
  short: { ...sizes.short, events: 320 },
  run: impatient(toPlatform),
});

/** Both directions, each with its own name, because pushes do not come from the platform. */
export const retries = [platformRetries, forwardRetries] as const;

interface Size {
  readonly events: number;
  /** The share of events whose hang-up the system may deliver too late. */
  readonly lateHangUps: number;
}

function impatient(way: Way): (size: Size, stage: Stage) => Promise<Report> {
  return async ({ events, lateHangUps }, stage) => {
    const receiver = await startReceiver(stage);
    // Makes events slow that wait for the external system. The stops below slow down the others.
    await receiver.behave({ latencyMs: 60 });
    const service = await startService({ stage, folder: stage.folder("retries"), ...way.service(receiver.url) });
    // The operators wait longer each time. Otherwise, if every answer took longer than they wait, they would never stop
    // sending.
    const timeoutMs = (sent: number) => (25 + stage.random.below(60)) * 2 ** Math.max(0, sent - 4);
    const common = { eventsPerOrder: 20, timeoutMs, connections };
    const mixed = openFloor({ ...common, name: "A", mix: way.mix });
    const repeats = { share: 0.1, random: stage.random };
    const stored = openFloor({ ...common, name: "B", mix: way.stored, repeats });
    let isOver = false;
    const stumbling = (async () => {
      while (!isOver) {
        await pause(stage.random.below(150));
        service.signal("SIGSTOP");
        await pause(stage.random.below(80));
        service.signal("SIGCONT");
      }
    })();
    const each = { events: Math.ceil(events / 2 / connections) };
    await Promise.all([mixed.work(service.url, each).done, stored.work(service.url, each).done]);
    isOver = true;
    await stumbling;
    await receiver.behave({});
    await stored.work(service.url, { onlyPending: true }).done;
    const { direction } = way;
    const floor = merged(mixed, stored);
    const verdict = await settleAndCheck({ floor, service, receiver, withinMs: 300_000, direction });
    const { entries } = readJournal(service.dataFolder, direction);
    const sendings = [mixed, stored].flatMap(({ ledger }) => [...ledger.orders.values()].flat());
    const happened = sendings.reduce((sum, one) => sum + one.happened, 0);
    const sentAfterAnswer = sendings.reduce((sum, { answered }) => sum + Math.max(0, answered - 1), 0);
    const sent = sendings.reduce((sum, one) => sum + one.sent, 0);
    return {
      figures: [
        { what: "events that happened", value: happened, unit: "" },
        { what: "times they were sent", value: sent, unit: "", bar: { at: "least", limit: happened * 1.02 } },
        {
          what: "entries in the journal",
          value: entries.length,
          unit: "",
          bar: { at: "most", limit: happened + verdict.unknowable + verdict.flagged },
        },
        {
          what: "sent again after the answer",
          value: sentAfterAnswer,
          unit: "",
          bar: { at: "least", limit: events / 50 },
        },
        ...promiseFigures(verdict, direction === "out" ? { flagged: Math.ceil(events * lateHangUps) } : {}),
      ],
      violations: verdict.violations,
    };
  };
}

/** Combines both floors for the check. */
function merged(first: ReturnType<typeof openFloor>, second: ReturnType<typeof openFloor>): typeof first {
  return {
    ...first,
    ledger: {
      ...first.ledger,
      orders: new Map([...first.ledger.orders, ...second.ledger.orders]),
      oddAnswers: [...first.ledger.oddAnswers, ...second.ledger.oddAnswers],
      leaks: [...first.ledger.leaks, ...second.ledger.leaks],
      count: (outcome) => first.ledger.count(outcome) + second.ledger.count(outcome),
    },
  };
}
