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

/** The notes of one entry over all its attempts; `killAt` ends the process at the nth note, before or after it is stored. */
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
    // The union of all rows cannot say that each gets its own input.
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
  // The union of all rows cannot say that each gets its own input.
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
