import type { ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { answered, type ErpAnswer, erpOrder, httpErp, orderMap } from "../../../../test/support/receivers/http-erp.ts";
import { manualClock } from "../../../kit/time/clock.ts";
import { type ManualTimers, manualTimers } from "../../../kit/time/timers.ts";
import type { BadElement, Batch, BatchResult, CompletePoll, Intake } from "../../../sdk/intake.ts";
import type { PollOptions } from "./options.ts";

const stored: BatchResult = { ids: [], unchanged: 0, bad: [] };
const since = { path: "Changed", param: "since", overlapSeconds: 60 };
const poll: PollOptions = {
  topic: "workOrders",
  path: "/orders",
  records: "data",
  map: orderMap,
  everySeconds: 30,
  since,
};
const changed = (number: string, at: string) => erpOrder(number, { Changed: at });

interface Given {
  readonly options?: Partial<PollOptions>;
  readonly take?: (found: Batch) => BatchResult | Promise<BatchResult>;
  readonly notes?: Map<string, string>;
}

/** A connector that polls, with a manual clock: `turns` waits until that many requests were answered. */
async function polling(answer: ErpAnswer, { options = {}, take = () => stored, notes = new Map() }: Given = {}) {
  const clock = manualClock();
  const timers: ManualTimers = manualTimers(clock);
  const warnings: object[] = [];
  const log = { debug: () => {}, info: () => {}, warn: (fields: object) => warnings.push(fields), error: () => {} };
  const connectorState = {
    read: (key: string) => notes.get(key),
    write: async (key: string, text: string) => {
      notes.set(key, text);
    },
  };
  const erp = await httpErp({ poll: [{ ...poll, ...options }] }, answer, { clock, timers, log, connectorState });
  const found: Batch[] = [];
  const results: string[] = [];
  const reads: (CompletePoll | undefined)[] = [];
  const intake: Intake = Object.assign(
    async (given: Batch) => {
      found.push(given);
      return take(given);
    },
    {
      sourceResult: (_part: string, result: string) => void results.push(result),
      sourceRead: (read?: CompletePoll) => void reads.push(read),
    },
  );
  const running = erp.connector.source?.start(intake);
  onTestFinished(() => running?.stop());
  await timers.settle();
  /** The current poll has ended when the timer for the next one is set. */
  const ended = () => expect.poll(timers.count).toBe(1);
  const nextTurn = async () => {
    await timers.pass(30_000);
    await ended();
  };
  return { ...erp, found, results, reads, warnings, timers, clock, nextTurn, ended, running };
}

/** Answers a text that no `JSON.stringify` would write. */
const sending =
  (...texts: string[]): ErpAnswer =>
  (_request, response, position) => {
    const text = texts[Math.min(position, texts.length) - 1];
    response.writeHead(200, { "content-type": "application/json" }).end(text);
    return answered;
  };

test("a record with a member twice is handed over as a bad one, and the poll goes on with the others", async () => {
  const notes = new Map<string, string>();
  const [good, odd] = [changed("1", "2026-01-05T07:00:00Z"), changed("2", "2026-01-05T07:30:00Z")];
  const text = JSON.stringify({ data: [odd, good] }).replace('"Qty":2', '"Qty":2,"Qty":3');
  const { found, ended, warnings } = await polling(sending(text), { notes });
  await ended();
  expect(found[0]?.elements).toMatchObject([
    { number: "2", requests: { problem: expect.stringMatching(/^Lines\[0\]\.Qty is given twice/) } },
    { number: "1", requests: [{ requestedAmount: 2 }] },
  ]);
  expect(warnings).toEqual([]);
  // Nothing is read of the odd one, and so its time does not count.
  expect([...notes.values()]).toContain(String(Date.parse("2026-01-05T07:00:00Z")));
});

test("nothing counts as missing from a poll that has found a record with a member twice", async () => {
  const odd = JSON.stringify({ data: [erpOrder("1")] }).replace('"DocNum":', '"DocNum":"2","DocNum":');
  const { reads, nextTurn, ended } = await polling(sending(odd, '{"data":[]}'));
  await ended();
  expect(reads).toEqual([undefined]);
  await nextTurn();
  expect(reads).toEqual([undefined, expect.objectContaining({ topic: "workOrders" })]);
});

test("a poll that has found only records with a member twice does not blame the path of their times", async () => {
  const odd = JSON.stringify({ data: [changed("1", "2026-01-05T07:00:00Z")] }).replace('"Qty":2', '"Qty":2,"Qty":3');
  const { connector, warnings, ended } = await polling(sending(odd));
  await ended();
  expect(warnings).toEqual([]);
  const previews = await connector.preview?.(5);
  expect(previews).toMatchObject([{ mapped: { number: "1" }, problems: [{ field: "requests" }] }]);
});

test("a poll whose answer has a member twice beside the records fails, and asks for the same again", async () => {
  const notes = new Map<string, string>();
  const good = JSON.stringify({ data: [changed("1", "2026-01-05T07:00:00Z")] });
  const { found, nextTurn, ended, requests, warnings } = await polling(
    sending(good.replace("{", '{"more":1,"more":0,'), good),
    { notes },
  );
  await ended();
  expect([found, notes.size, warnings.length]).toEqual([[], 0, 1]);
  await nextTurn();
  expect(found[0]?.elements).toMatchObject([{ number: "1" }]);
  expect(new Set(requests.map(({ path }) => path)).size).toBe(1);
});

test("with badRecords: refuse a page with a bad record counts as not imported, and the next poll requests it again", async () => {
  const notes = new Map<string, string>();
  let bad: readonly BadElement[] = [{ index: 0, problems: [] }];
  const { found, nextTurn, ended, requests } = await polling(() => ({ data: [changed("1", "2026-01-05T07:00:00Z")] }), {
    options: { badRecords: "refuse" },
    notes,
    take: () => ({ ids: [], unchanged: 0, bad }),
  });
  await ended();
  expect(found[0]?.badRecords).toBe("refuse");
  expect(notes.size).toBe(0);
  bad = [];
  await nextTurn();
  expect(new Set(requests.map(({ path }) => path)).size).toBe(1);
  expect(notes.size).toBeGreaterThan(0);
});

test("a poll hands the records over, mapped, with their origin and the source of each member", async () => {
  const { found, ended, baseUrl } = await polling(() => ({ data: [changed("1", "2026-01-05T07:00:00Z")] }));
  await ended();
  expect(found).toMatchObject([
    {
      topic: "workOrders",
      elements: [{ number: "1" }],
      badRecords: "quarantine",
      origin: `${new URL(baseUrl).host}/orders`,
    },
  ]);
  expect(found[0]?.sourceOf?.("requests[3].requestedAmount")).toBe("Lines.Qty");
});

test("the next poll fetches what changed since the latest change seen, with a small overlap", async () => {
  const answers = [
    [changed("1", "2026-01-05T07:00:00Z"), changed("2", "2026-01-05T07:30:00Z"), changed("3", "2026-01-05T06:00:00Z")],
    [],
  ];
  const { requests, nextTurn, ended } = await polling(() => ({ data: answers.shift() ?? [] }));
  await ended();
  await nextTurn();
  await nextTurn();
  expect(requests.map(({ query }) => query["since"])).toEqual([
    "1970-01-01T00:00:00Z",
    "2026-01-05T07:29:00Z",
    "2026-01-05T07:29:00Z",
  ]);
});

test("how far a poll came outlives a restart", async () => {
  const notes = new Map<string, string>();
  const first = await polling(() => ({ data: [changed("1", "2026-01-05T07:00:00Z")] }), { notes });
  await first.ended();
  const second = await polling(() => ({ data: [] }), { notes });
  await second.ended();
  expect(second.requests[0]?.query["since"]).toBe("2026-01-05T06:59:00Z");
  const other = await polling(() => ({ data: [] }), { notes, options: { path: "/other" } });
  await other.ended();
  expect(other.requests[0]?.query["since"]).toBe("1970-01-01T00:00:00Z");
});

test("records that could not be stored are fetched again", async () => {
  const results: BatchResult[] = [{ notStored: "the disk is full" }, stored];
  const { requests, warnings, nextTurn, ended } = await polling(
    () => ({ data: [changed("1", "2026-01-05T07:00:00Z")] }),
    {
      take: () => results.shift() ?? stored,
    },
  );
  await ended();
  await nextTurn();
  await nextTurn();
  expect(requests.map(({ query }) => query["since"])).toEqual([
    "1970-01-01T00:00:00Z",
    "1970-01-01T00:00:00Z",
    "2026-01-05T06:59:00Z",
  ]);
  expect(warnings).toHaveLength(1);
});

test("a bad answer is logged, and the next poll continues", async () => {
  const { found, warnings, nextTurn, ended } = await polling((_request, response, position) => {
    if (position > 1) return { data: [changed("1", "2026-01-05T07:00:00Z")] };
    response.writeHead(200, { "content-type": "text/html" }).end("<html>");
    return answered;
  });
  await ended();
  expect([found, warnings]).toMatchObject([
    [],
    [{ topic: "workOrders", reason: expect.stringMatching(/media type is text\/html/) }],
  ]);
  await nextTurn();
  expect(found).toHaveLength(1);
});

test("if a page fails, the pages before it stay imported and the cursor does not move", async () => {
  const { found, requests, nextTurn, ended } = await polling(
    ({ query }, response) => {
      if (query["p"] === "1") return { data: [changed("1", "2026-01-05T07:00:00Z")] };
      response.statusCode = 500;
    },
    { options: { page: { by: "page", param: "p" } } },
  );
  await ended();
  await nextTurn();
  expect(found).toHaveLength(2);
  expect(requests.map(({ query }) => query["since"])).toEqual(Array(4).fill("1970-01-01T00:00:00Z"));
});

test("a poll never runs twice at the same time, however long it takes", async () => {
  const held = Promise.withResolvers<BatchResult>();
  const { requests, timers, ended } = await polling(() => ({ data: [changed("1", "2026-01-05T07:00:00Z")] }), {
    take: () => held.promise,
  });
  await expect.poll(() => requests.length).toBe(1);
  await timers.pass(600_000);
  expect(requests).toHaveLength(1);
  held.resolve(stored);
  await ended();
});

test("a change that is dated in the future does not hide the changes until then", async () => {
  const answers = [[changed("1", "2099-01-01T00:00:00Z")], []];
  const { requests, nextTurn, ended } = await polling(() => ({ data: answers.shift() ?? [] }));
  await ended();
  await nextTurn();
  expect(requests[1]?.query["since"]).toBe("2026-01-05T07:59:00Z");
});

test.each([
  ["iso", "2026-01-05T06:59:00Z"],
  ["date", "2026-01-05"],
  ["blank", "2026-01-05 07:59:00"],
  ["epoch", String(Date.UTC(2026, 0, 5, 6, 59) / 1000)],
  ["epochMs", String(Date.UTC(2026, 0, 5, 6, 59))],
] as const)("the time is written as %s where the ERP wants it so, in its zone", async (format, expected) => {
  const options = { since: { ...since, format, zone: "Europe/Berlin" } };
  const { requests, nextTurn, ended } = await polling(() => ({ data: [changed("1", "2026-01-05 08:00:00")] }), {
    options,
  });
  await ended();
  await nextTurn();
  expect(requests[1]?.query["since"]).toBe(expected);
});

test("the time may stand anywhere in the request", async () => {
  const { requests, ended } = await polling(() => ({ data: [] }), {
    options: {
      method: "POST",
      body: { filter: [["write_date", ">=", "{since}"]] },
      since: { path: "Changed", start: "2026-01-01" },
    },
  });
  await ended();
  expect(requests[0]?.json).toEqual({ filter: [["write_date", ">=", "2026-01-01T00:00:00Z"]] });
});

test("stopping waits for the running poll and starts no other", async () => {
  const { running, timers, requests } = await polling(() => answered);
  await expect.poll(() => requests.length).toBe(1);
  await running?.stop();
  await timers.pass(600_000);
  expect(requests).toHaveLength(1);
});

test("a preview turns pages until it has as many records as requested", async () => {
  const { connector, requests } = await httpErp(
    {
      operations: {
        listWorkOrders: { path: "/o", records: "data", page: { by: "page", param: "page", size: 1 }, map: orderMap },
      },
    },
    ({ query }) => ({ data: [erpOrder(String(query["page"]))] }),
  );
  const shown = (await connector.preview?.(3)) ?? [];
  expect(shown.map(({ mapped }) => mapped)).toMatchObject([{ number: "1" }, { number: "2" }, { number: "3" }]);
  expect(requests).toHaveLength(3);
});

test("a preview shows the first records raw and mapped, and does not move the cursor", async () => {
  const notes = new Map<string, string>();
  const { connector, ended } = await polling(
    () => ({ data: [changed("1", "2026-01-05T07:00:00Z"), changed("2", "2026-01-05T07:00:00Z")] }),
    { notes, options: { everySeconds: 3600 } },
  );
  await ended();
  const before = [...notes];
  const [shown, ...others] = (await connector.preview?.(1)) ?? [];
  expect(shown).toMatchObject({ serves: "workOrders", raw: { DocNum: "1" }, mapped: { number: "1" }, problems: [] });
  expect([others, [...notes]]).toEqual([[], before]);
});

test("a poll waits as long as Retry-After says", async () => {
  let isBusy = true;
  const { requests, timers, ended } = await polling((_, response) => {
    if (!isBusy) return { data: [] };
    response.writeHead(429, { "retry-after": "120" }).end();
    return answered;
  });
  await ended();
  isBusy = false;
  await timers.pass(119_000);
  expect(requests).toHaveLength(1);
  await timers.pass(1_000);
  await ended();
  expect(requests).toHaveLength(2);
});

test("once a day everything is fetched and compared: records that the poll had missed are imported and logged", async () => {
  const records = [changed("1", "2026-01-05T07:00:00Z")];
  const known = new Set<string>();
  const { requests, found, warnings, timers, clock, ended, nextTurn } = await polling(
    ({ query }) => ({ data: records.filter((one) => String(Reflect.get(one, "Changed")) >= String(query["since"])) }),
    {
      take: ({ elements }) => {
        const fresh = elements.map((one) => JSON.stringify(one)).filter((text) => !known.has(text));
        for (const text of fresh) known.add(text);
        return { ids: fresh.map((_, index) => `evt_${index}`), unchanged: elements.length - fresh.length, bad: [] };
      },
    },
  );
  await ended();
  // Its time is before the latest change seen, but it was committed after that.
  records.push(changed("2", "2026-01-04T00:00:00Z"));
  await nextTurn();
  expect(found.at(-1)?.elements).toMatchObject([{ number: "1" }]);
  clock.advance({ days: 1 });
  await nextTurn();
  expect(requests.at(-1)?.query["since"]).toBe("1970-01-01T00:00:00Z");
  expect(found.at(-1)?.elements).toMatchObject([{ number: "2" }]);
  expect(warnings).toMatchObject([{ topic: "workOrders", missed: 1, entries: ["evt_0"] }]);
  await nextTurn();
  expect(warnings).toHaveLength(1);
  expect(timers.count()).toBe(1);
});

test("a poll that was read counts as working while the comparison after it is still under way", async () => {
  let held: ServerResponse | undefined;
  const { results, requests, timers, clock, ended } = await polling((_request, response, position) => {
    if (position !== 3) return { data: [changed("1", "2026-01-05T07:00:00Z")] };
    held = response;
    return answered;
  });
  await ended();
  clock.advance({ days: 1 });
  await timers.pass(30_000);
  await expect.poll(() => held).toBeDefined();
  expect(requests.at(-1)?.query["since"]).toBe("1970-01-01T00:00:00Z");
  expect(results).toEqual(["begun", "worked", "begun", "worked"]);
  // A comparison that fails is tried again on another day, and the poll goes on.
  held?.writeHead(500).end();
  await ended();
  expect(results).toEqual(["begun", "worked", "begun", "worked"]);
});

test("pages by offset, and polls that never compare, cause a warning", async () => {
  const { connector } = await polling(() => ({ data: [] }), {
    options: { page: { by: "offset", param: "skip", size: 10 }, compareEveryHours: 0 },
  });
  expect(connector.warnings).toEqual([
    expect.stringMatching(/^poll of workOrders: a record that changes while pages are read by offset/),
    expect.stringMatching(/never seen/),
  ]);
});

test("records that `where` leaves out are not imported, and their times still count", async () => {
  const notes = new Map<string, string>();
  const { found, ended } = await polling(
    () => ({
      data: [
        { ...changed("1", "2026-01-05T07:00:00Z"), State: "draft" },
        { ...changed("2", "2026-01-05T06:00:00Z"), State: "open" },
        { ...changed("3", "2026-01-05T07:30:00Z"), State: "draft" },
      ],
    }),
    { options: { where: { State: ["open"] } }, notes },
  );
  await ended();
  expect(found[0]?.elements).toMatchObject([{ number: "2" }]);
  expect(found[0]?.rereads).toMatchObject({ versions: [String(Date.parse("2026-01-05T06:00:00Z"))] });
  expect([...notes.values()]).toContain(String(Date.parse("2026-01-05T07:30:00Z")));
});
