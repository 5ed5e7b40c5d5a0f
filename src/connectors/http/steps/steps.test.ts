import fc from "fast-check";
import { expect, test } from "vitest";
import { delivery } from "../../../../test/support/connectors/delivery.ts";
import { answered, type ErpAnswer, httpErp } from "../../../../test/support/receivers/http-erp.ts";
import { type AnyOutcome, ok, refuse } from "../../../operation/outcome.ts";
import type { Sent } from "../../../operation/record-sent.ts";
import type { CallContext, DeliveryProgress, Operate } from "../../../sdk/connector.ts";
import type { StepOptions } from "../options/operation-options.ts";
import type { HttpOptions } from "../options/options.ts";

const attachment = { workOrderNumber: "4711", containerCode: "C-9" };
const { entryId } = delivery();

class Killed extends Error {}

/**
 * The stored progress of one entry over all its attempts; `killAt` ends the process at the nth note, before or after it
 * is stored.
 */
function notesOf() {
  const stored = new Map<string, string>();
  let attempts = 0;
  const restarts: (string | undefined)[] = [];
  const progress = (isKilled: () => "before" | "after" | null): DeliveryProgress => {
    const wasTried = attempts++ > 0;
    return {
      noted: () => new Map(stored),
      note: async (marks) => {
        const killed = isKilled();
        if (killed === "before") throw new Killed();
        for (const { key, value } of marks) stored.set(key, value);
        if (killed === "after") throw new Killed();
      },
      wasTried: () => wasTried,
      restart: (step) => void restarts.push(step),
    };
  };
  return { progress, restarts };
}

async function erpWith(steps: readonly StepOptions[], answer: ErpAnswer, options: Partial<HttpOptions> = {}) {
  const erp = await httpErp({ ...options, operations: { attachWorkOrder: { steps: [...steps] } } }, answer);
  const notes = notesOf();
  const sent: Sent[] = [];
  const attempt = (more: Partial<CallContext> = {}): Promise<AnyOutcome> => {
    // The union of all operations cannot express that each has its own input type.
    const operate = erp.connector.operations.attachWorkOrder as Operate<"attachWorkOrder">;
    const context: CallContext = {
      language: "en",
      signal: new AbortController().signal,
      delivery: delivery(),
      progress: notes.progress(() => null),
      record: (one) => {
        sent.push(one);
        return () => {};
      },
      ...more,
    };
    return Promise.resolve(operate(attachment, context));
  };
  const paths = () => erp.requests.map(({ method, path }) => `${method} ${path}`);
  return { ...erp, ...notes, attempt, sent, paths };
}

const four: readonly StepOptions[] = [
  { name: "find", method: "GET", path: "/orders/{workOrderNumber}" },
  { name: "book", path: "/orders/{steps.find.id}/book", body: { tote: "{containerCode}" } },
  { name: "confirm", path: "/confirm/{steps.book.warning}", when: { path: "steps.book.warning" } },
  { name: "close", path: "/orders/{steps.find.id}/close" },
];
const answers: Readonly<Record<string, unknown>> = { "/orders/4711": { id: 77 }, "/orders/77/book": { done: true } };

test("delivery goes on at the failed step with the earlier answers, and the error names the step", async () => {
  let isDown = true;
  const { attempt, paths, faultOf, sent } = await erpWith(four, ({ pathname }, response) => {
    if (pathname === "/orders/77/close" && isDown) response.statusCode = 503;
    return answers[pathname];
  });
  const fault = await faultOf(attempt());
  expect([fault.kind, fault.message]).toEqual(["unreachable", expect.stringMatching(/^step close \(4 of 4\): /)]);
  isDown = false;
  expect(await attempt()).toEqual(ok(null));
  expect(paths()).toEqual([
    ...["GET /orders/4711", "POST /orders/77/book", "POST /orders/77/close", "POST /orders/77/close"],
  ]);
  const skipped = sent.filter((one) => one.skipped !== undefined).map(({ step, skipped }) => `${step}: ${skipped}`);
  expect(skipped).toEqual([
    "confirm: its condition is not met",
    "find: done by an earlier attempt",
    "book: done by an earlier attempt",
    "confirm: its condition was not met",
  ]);
});

test("each request of an event has a key of its own, and its own time limit", async () => {
  const { attempt, requests, restarts } = await erpWith(four, ({ pathname }) => answers[pathname]);
  await attempt();
  expect(requests.map(({ headers }) => headers["idempotency-key"])).toEqual([
    ...[`${entryId}-find`, `${entryId}-book`, `${entryId}-close`],
  ]);
  expect(restarts).toEqual(["step find (1 of 4)", "step book (2 of 4)", "step close (4 of 4)"]);
});

test("a step that takes longer than its own limit fails by it, whatever the connector allows", async () => {
  const { attempt, faultOf } = await erpWith([{ name: "slow", path: "/slow", timeoutMs: 50 }], () => answered, {
    timeouts: { totalMs: 60_000, headersMs: 60_000 },
  });
  const fault = await faultOf(attempt());
  expect([fault.kind, fault.message]).toEqual(["unreachable", expect.stringMatching(/^step slow \(1 of 1\): .*50 ms/)]);
});

test.each<[string, ErpAnswer, string, RegExp]>([
  [
    "HTML",
    (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>Sign in</h1>");
      return answered;
    },
    "rejected",
    /^step book \(2 of 4\): .*text\/html/,
  ],
  [
    "a reset",
    (_request, response) => {
      response.socket?.destroy();
      return answered;
    },
    "unreachable",
    /^step book \(2 of 4\): /,
  ],
  [
    "a 200 with an unknown class of error",
    () => ({ error: ["NobodyKnowsThis", ["Der Vorgang ist gesperrt"]] }),
    "rejected",
    /^step book \(2 of 4\): .*it has error/,
  ],
  ["the answer of another order", () => ({ order: "9999" }), "rejected", /^step book \(2 of 4\): .*something else/],
])(
  "if the ERP answers the second of four steps with %s, nothing later is sent and nothing earlier is sent again",
  async (_name, bad, kind, text) => {
    const steps = four.map((step) =>
      step.name === "book"
        ? {
            ...step,
            success: { absent: "error" },
            expect: "= answer.order = workOrderNumber or answer.done",
            alreadyDone: { request: { path: "/state" }, when: { path: "answer.done" } },
          }
        : step,
    );
    let isBad = true;
    const erp = await erpWith(steps, (request, response, position) =>
      isBad && request.pathname === "/orders/77/book" ? bad(request, response, position) : answers[request.pathname],
    );
    const fault = await erp.faultOf(erp.attempt());
    expect([fault.kind, fault.message]).toEqual([kind, expect.stringMatching(text)]);
    // The operator reads the ERP's text, even for errors that the configuration does not know.
    if (fault.message.includes("NobodyKnowsThis")) expect(fault.operatorText).toContain("Der Vorgang ist gesperrt");
    isBad = false;
    expect(await erp.attempt()).toEqual(ok(null));
    expect(erp.paths()).toEqual([
      ...["GET /orders/4711", "POST /orders/77/book", "GET /state", "POST /orders/77/book", "POST /orders/77/close"],
    ]);
  },
);

test("a refusal names its step for the journal, and the operator reads the ERP's own text", async () => {
  const refusals = [{ status: 409, result: "ContainerAlreadyAttached" }];
  const steps = four.map((step) => (step.name === "book" ? { ...step, refusals } : step));
  const { attempt } = await erpWith(steps, ({ pathname }, response) => {
    if (pathname !== "/orders/77/book") return answers[pathname];
    response.statusCode = 409;
    return { message: "C-9 hängt an 4712" };
  });
  expect(await attempt()).toEqual({
    ...refuse("ContainerAlreadyAttached", "C-9 hängt an 4712"),
    at: "step book (2 of 4)",
  });
});

test("a request that may have arrived is sent again only if the ERP does not know it", async () => {
  const booked: string[] = [];
  const book: StepOptions = {
    name: "book",
    path: "/book",
    body: { key: "{entryId}" },
    alreadyDone: {
      request: { path: "/booked", query: { key: "{entryId}" } },
      when: "= $count(answer.found) > 0",
      answer: "answer.found[0]",
    },
  };
  const after: StepOptions = { name: "after", path: "/after/{steps.book.id}" };
  let cut = true;
  const erp = await erpWith([book, after], ({ pathname }, response) => {
    if (pathname === "/booked") return { found: booked.map((id) => ({ id })) };
    if (pathname !== "/book") return {};
    booked.push(`b${booked.length + 1}`);
    if (!cut) return { id: booked.at(-1) };
    response.socket?.destroy();
    return answered;
  });
  await erp.faultOf(erp.attempt());
  cut = false;
  expect(await erp.attempt()).toEqual(ok(null));
  expect(booked).toEqual(["b1"]);
  expect(erp.paths()).toEqual(["POST /book", `GET /booked?key=${entryId}`, "POST /after/b1"]);
});

test("a step that the ERP executes twice without saying so is executed once: what may have arrived is asked for, on every attempt", async () => {
  let booked = 0;
  const alreadyDone = { request: { path: "/booked" }, when: "= answer.count > 0" };
  const steps: readonly StepOptions[] = [
    { name: "book", path: "/book", alreadyDone },
    { name: "close", path: "/close" },
  ];
  let failures = 3;
  const erp = await erpWith(steps, ({ pathname }, response) => {
    if (pathname === "/booked") return { count: booked };
    // Each sending would be booked and answered with a success.
    if (pathname === "/book") booked++;
    if (failures-- > 0) response.socket?.destroy();
    return failures >= 0 ? answered : {};
  });
  for (let attempt = 0; attempt < 3; attempt++) await erp.faultOf(erp.attempt());
  expect(await erp.attempt()).toEqual(ok(null));
  expect(booked).toBe(1);
});

test.each<[string, StepOptions]>([
  ["a step that only computes", { name: "plan", map: { tote: "containerCode" } }],
  ["a skipped step", { name: "never", path: "/never", when: "= 1 = 2" }],
  ["a step of later attempts only", { name: "again", method: "GET", path: "/look", when: "= attempt > 1" }],
])(
  "a booking behind %s is asked for as well before it is sent again, after a time-out and after a kill",
  async (_, first) => {
    for (const isKilled of [false, true]) {
      let booked = 0;
      const alreadyDone = { request: { path: "/booked" }, when: "= answer.count > 0" };
      const steps = [first, { name: "book", path: "/book", alreadyDone }];
      const erp = await erpWith(steps, ({ pathname }, response) => {
        if (pathname !== "/book") return { count: booked };
        if (++booked === 1) response.socket?.destroy();
        return booked === 1 ? answered : {};
      });
      // After a kill, the failure itself is not noted any more.
      const progress = erp.progress(() => (isKilled && booked > 0 ? "before" : null));
      await erp.attempt({ progress }).catch(() => {});
      expect((await erp.attempt({ delivery: { ...delivery(), attempt: 2 } })).ok).toBe(true);
      expect([isKilled, booked]).toEqual([isKilled, 1]);
    }
  },
);

test("what a step has computed stays the same after a kill, also if no other request came before", async () => {
  let isDown = true;
  const steps: readonly StepOptions[] = [
    { name: "plan", map: { tries: "attempt" } },
    { name: "book", path: "/book", body: { tries: "{steps.plan.tries}" } },
  ];
  const { attempt, requests, progress } = await erpWith(steps, (_request, response) => {
    if (isDown) response.socket?.destroy();
    return isDown ? answered : {};
  });
  await attempt({ progress: progress(() => (requests.length > 0 ? "before" : null)) }).catch(() => {});
  isDown = false;
  await attempt({ delivery: { ...delivery(), attempt: 2 } });
  expect(requests.map(({ body }) => JSON.parse(body.toString()))).toEqual([{ tries: 1 }, { tries: 1 }]);
});

test("nothing is asked before a first sending, and 404 means that nothing was done", async () => {
  const alreadyDone = { request: { path: "/booked" }, when: "= true" };
  let isDown = true;
  const { attempt, faultOf, paths } = await erpWith(
    [{ name: "book", path: "/book", alreadyDone }],
    (request, response) => {
      if (request.pathname === "/booked") response.statusCode = 404;
      else if (isDown) response.statusCode = 503;
      return {};
    },
  );
  await faultOf(attempt());
  expect(paths()).toEqual(["POST /book"]);
  isDown = false;
  await attempt();
  expect(paths()).toEqual(["POST /book", "GET /booked", "POST /book"]);
});

test("a step with a list sends one request per element, and goes on behind the last one that was answered", async () => {
  let fails = 2;
  const labels: StepOptions = { name: "labels", each: "= ['A', 'B', 'C']", path: "/labels/{item}" };
  const { attempt, faultOf, paths } = await erpWith(
    [labels, { name: "done", path: "/done", body: { all: "{steps.labels}" } }],
    ({ pathname }, response) => {
      if (pathname === "/labels/B" && fails-- > 0) response.statusCode = 503;
      return { made: pathname.at(-1) };
    },
  );
  await faultOf(attempt());
  await faultOf(attempt());
  await attempt();
  expect(paths()).toEqual([
    ...["POST /labels/A", "POST /labels/B", "POST /labels/B", "POST /labels/B", "POST /labels/C", "POST /done"],
  ]);
});

test.each([
  ["a step", (each: string) => ({ steps: [{ name: "line", each, path: "/lines/{item.itemNumber}" }] })],
  ["an event", (each: string) => ({ each, path: "/lines/{element.itemNumber}" })],
])("the list of %s stays the same on every attempt, also if the order is changed meanwhile", async (_name, options) => {
  let isDown = true;
  const own = options("= order.requests");
  const erp = await httpErp({ operations: { attachWorkOrder: own } }, ({ pathname }, response) => {
    if (pathname === "/lines/NUT" && isDown) response.statusCode = 503;
    return {};
  });
  const { progress } = notesOf();
  // The union of all operations cannot express that each has its own input type.
  const operate = erp.connector.operations.attachWorkOrder as Operate<"attachWorkOrder">;
  const attempt = async (items: readonly string[]) => {
    const order = { number: "4711", requests: items.map((itemNumber) => ({ itemNumber })) };
    const context = { language: "en" as const, signal: new AbortController().signal, delivery: delivery() };
    // Only what the options above read of the order.
    const findSubject = (async () => ({ order, line: null })) as unknown as NonNullable<CallContext["findSubject"]>;
    return operate(attachment, { ...context, progress: progress(() => null), findSubject });
  };
  await erp.faultOf(Promise.resolve(attempt(["BOLT", "NUT", "GEAR"])));
  isDown = false;
  await attempt(["NUT", "GEAR", "BOLT"]);
  expect(erp.requests.map(({ path }) => path)).toEqual([...["/lines/BOLT", "/lines/NUT", "/lines/NUT", "/lines/GEAR"]]);
});

test("when an operator edits an event, what was read, computed or skipped is made anew, and what was booked stays booked", async () => {
  let isRefused = true;
  const steps: readonly StepOptions[] = [
    { name: "find", method: "GET", path: "/totes/{containerCode}" },
    { name: "plan", map: { tote: "containerCode" } },
    { name: "claim", path: "/claim" },
    { name: "big", path: "/big", when: { path: "containerCode", equals: "C-10" } },
    { name: "book", path: "/book/{steps.plan.tote}/{steps.find.id}" },
  ];
  const { attempt, faultOf, paths, connector, progress } = await erpWith(steps, ({ pathname }, response) => {
    if (pathname.startsWith("/book") && isRefused) response.statusCode = 422;
    return { id: pathname.at(-1) };
  });
  await faultOf(attempt());
  isRefused = false;
  const edited = { ...attachment, containerCode: "C-10" };
  // The union of all operations cannot express that each has its own input type.
  const operate = connector.operations.attachWorkOrder as Operate<"attachWorkOrder">;
  const context = { language: "en" as const, signal: new AbortController().signal, progress: progress(() => null) };
  await operate(edited, { ...context, delivery: { ...delivery(), body: JSON.stringify(edited) } });
  expect(paths()).toEqual([
    ...["GET /totes/C-9", "POST /claim", "POST /book/C-9/9"],
    ...["GET /totes/C-10", "POST /big", "POST /book/C-10/0"],
  ]);
});

test("an aborted attempt sends nothing more", async () => {
  const abort = new AbortController();
  const { attempt, paths } = await erpWith(four, ({ pathname }) => {
    if (pathname === "/orders/4711") abort.abort(new Error("over"));
    return answers[pathname];
  });
  await expect(attempt({ signal: abort.signal })).rejects.toThrow();
  expect(paths()).toEqual(["GET /orders/4711"]);
});

test("killed anywhere, an event is booked exactly once by an ERP that can be asked, and nothing is lost", async () => {
  const made = new Map<string, number>();
  const bookings = ["reserve", "pick", "ship"];
  const steps: StepOptions[] = [
    { name: "find", method: "GET", path: "/orders/{workOrderNumber}" },
    ...bookings.map((name) => ({
      name,
      path: `/book/${name}`,
      body: { of: "{steps.find.id}" },
      alreadyDone: { request: { path: `/done/${name}` }, when: { path: "answer.done" }, answer: "answer" },
    })),
  ];
  let kill: { at: number; when: "before" | "arrived" | "answered" } | null = null;
  let requests = 0;
  const erp = await erpWith(steps, ({ pathname }, response) => {
    const killed = kill !== null && ++requests === kill.at ? kill.when : null;
    const [, kind = "", name = ""] = pathname.split("/");
    if (killed !== "before" && kind === "book") made.set(name, (made.get(name) ?? 0) + 1);
    if (killed !== null && killed !== "answered") {
      response.socket?.destroy();
      return answered;
    }
    return kind === "orders" ? { id: 77 } : { done: made.has(name), name };
  });
  // The union of all operations cannot express that each has its own input type.
  const operate = erp.connector.operations.attachWorkOrder as Operate<"attachWorkOrder">;
  const plan = fc.record({
    requestAt: fc.integer({ min: 1, max: 6 }),
    when: fc.constantFrom("before" as const, "arrived" as const, "answered" as const),
    noteAt: fc.integer({ min: 1, max: 6 }),
    note: fc.constantFrom("before" as const, "after" as const),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { maxLength: 4 }), async (kills) => {
      made.clear();
      const { progress } = notesOf();
      const attempt = (noteKill: (typeof kills)[number] | undefined) => {
        let notes = 0;
        requests = 0;
        kill = noteKill === undefined ? null : { at: noteKill.requestAt, when: noteKill.when };
        const isKilled = () => (noteKill !== undefined && ++notes === noteKill.noteAt ? noteKill.note : null);
        const context = { language: "en" as const, signal: new AbortController().signal, delivery: delivery() };
        return Promise.resolve(operate(attachment, { ...context, progress: progress(isKilled) }));
      };
      let isDone = false;
      for (const one of kills) {
        isDone = await attempt(one).then(
          () => true,
          () => false,
        );
        if (isDone) break;
      }
      if (!isDone) await attempt(undefined);
      expect(Object.fromEntries(made)).toEqual({ reserve: 1, pick: 1, ship: 1 });
    }),
    { numRuns: 150 },
  );
});

test("an answer that says the earlier ones are out of date makes the next attempt begin with the first step", async () => {
  const steps: readonly StepOptions[] = [
    { name: "find", method: "POST", path: "/find" },
    { name: "book", path: "/book/{steps.find.id}", startOverWhen: [{ path: "error", equals: "gone" }] },
  ];
  const found = [11, 12];
  const { attempt, paths, faultOf } = await erpWith(
    steps,
    ({ pathname }) =>
      pathname === "/find" ? { id: found.shift() } : pathname === "/book/11" ? { error: "gone" } : { done: true },
    { errorText: "error" },
  );
  const fault = await faultOf(attempt());
  expect(fault).toMatchObject({ kind: "rejected", operatorText: "gone", answer: { isPassing: true } });
  expect(fault.message).toContain("the first step follows again");
  expect((await attempt()).ok).toBe(true);
  expect(paths()).toEqual(["POST /find", "POST /book/11", "POST /find", "POST /book/12"]);
});

test("a booking that was answered before the event starts over is asked for, not sent twice", async () => {
  const alreadyDone = { request: { path: "/claimed" }, when: { path: "answer.id" }, answer: "answer" };
  const steps: readonly StepOptions[] = [
    { name: "read", method: "GET", path: "/version" },
    { name: "claim", path: "/claim", alreadyDone },
    { name: "book", path: "/book/{steps.claim.id}/{steps.read.version}", startOverWhen: [{ status: 412 }] },
  ];
  let version = 1;
  const { attempt, faultOf, paths } = await erpWith(steps, ({ pathname }, response) => {
    if (pathname === "/book/c1/1") response.statusCode = 412;
    return pathname === "/version" ? { version: version++ } : { id: "c1" };
  });
  await faultOf(attempt());
  expect((await attempt()).ok).toBe(true);
  expect(paths()).toEqual([
    ...["GET /version", "POST /claim", "POST /book/c1/1"],
    ...["GET /version", "GET /claimed", "POST /book/c1/2"],
  ]);
});

test("a step without a path only computes: it sends nothing, and later steps read its result", async () => {
  const steps: readonly StepOptions[] = [
    { name: "find", method: "GET", path: "/find" },
    { name: "plan", map: { parts: "= steps.find.bins[free > 0].{ 'bin': id, 'take': $min([free, 4]) }" } },
    { name: "take", each: "steps.plan.parts", path: "/take/{item.bin}", body: { amount: "{item.take}" } },
  ];
  const bins = [
    { id: "A", free: 9 },
    { id: "B", free: 0 },
    { id: "C", free: 1 },
  ];
  let isDown = true;
  const { attempt, paths, faultOf, requests } = await erpWith(steps, ({ pathname }, response) => {
    if (pathname === "/find") return { bins };
    if (pathname === "/take/C" && isDown) response.statusCode = 503;
    return {};
  });
  await faultOf(attempt());
  // Computed values stay, even if they would be different by now.
  bins.length = 0;
  isDown = false;
  expect(await attempt()).toEqual(ok(null));
  expect(paths()).toEqual(["GET /find", "POST /take/A", "POST /take/C", "POST /take/C"]);
  expect(requests.at(-1)?.json).toEqual({ amount: 1 });
});

test("an event of which steps only computed was not sent", async () => {
  const steps: readonly StepOptions[] = [
    { name: "plan", map: { left: "= 0" } },
    { name: "book", path: "/book", when: "= steps.plan.left > 0" },
  ];
  const { attempt, paths } = await erpWith(steps, () => ({}));
  expect(await attempt()).toMatchObject({ ok: true, isUnsent: true });
  expect(paths()).toEqual([]);
});

test("a POST that only reads is sent again without a question, and costs no note", async () => {
  const steps: readonly StepOptions[] = [
    { name: "find", path: "/find", onlyReads: true },
    { name: "book", path: "/book/{steps.find.id}" },
  ];
  let isDown = true;
  const { attempt, paths, faultOf } = await erpWith(steps, ({ pathname }, response) => {
    if (pathname === "/find" && isDown) response.statusCode = 503;
    return { id: 7 };
  });
  await faultOf(attempt());
  isDown = false;
  expect(await attempt()).toEqual(ok(null));
  expect(paths()).toEqual(["POST /find", "POST /find", "POST /book/7"]);
});
