import { join } from "node:path";
import { onTestFinished } from "vitest";
import { orderRecordsIn } from "../../../src/app/stored-journal.ts";
import type { EventId, InputOf } from "../../../src/contract/operations.ts";
import type { PersonDid } from "../../../src/engine/audit/open-action-log.ts";
import type { Outbox } from "../../../src/engine/delivery/outbox.ts";
import { readPush } from "../../../src/engine/intake/read-push.ts";
import { type JournalOverview, openJournalOverview } from "../../../src/engine/journal-view/journal-overview.ts";
import { openOverview } from "../../../src/engine/journal-view/open-overview.ts";
import type { Attempt, Handling, OpenEntry, Verdict } from "../../../src/journal/entry.ts";
import type { Journal } from "../../../src/journal/journal.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/open-sqlite-journal.ts";
import { newId } from "../../../src/kit/ids.ts";
import { silentLog } from "../../../src/kit/log.ts";
import { openDatabase } from "../../../src/kit/sqlite/sqlite.ts";
import { manualClock } from "../../../src/kit/time/clock.ts";
import { lanesOfEvent } from "../../../src/operation/lane.ts";
import { adminGate, defaultAccess } from "../../../src/server/admin/admin-gate.ts";
import { adminRoutes } from "../../../src/server/admin/admin-routes.ts";
import { readEdit } from "../../../src/server/admin/read-edit.ts";
import { sessionRoutes } from "../../../src/server/admin/session-routes.ts";
import { createServer } from "../../../src/server/server.ts";
import { embedded } from "../../../src/store/connector.ts";
import { withDefaults } from "../../../src/store/option-defaults.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { apiKey } from "./adapter.ts";

const dates = { timeZone: "UTC", timeOfDay: "00:00" };
export const setupTarget = "erp";

/**
 * The admin routes on a real journal with the embedded system. The test itself makes the deliveries: it sets the result
 * of each, and sees what the outbox was given to deliver.
 */
export async function adminSetup({
  basePath = "",
  settings = () => defaultAccess,
  folder = temporaryFolder(),
  /** Stands between the routes and the views of the journal. */
  viewsAs = (views: JournalOverview) => views,
  onFinished = onTestFinished as (close: () => Promise<void>) => void,
} = {}) {
  const clock = manualClock();
  const databaseFile = join(folder, "crossdock.db");
  const journal = await openSqliteJournal({
    databaseFile,
    projectionModule: embedded.projectionModule,
    projectionOptions: withDefaults({}),
  });
  const database = openDatabase(databaseFile, { readOnly: true });
  const { outbox, added, paused } = recordingOutbox(journal);
  const views = openJournalOverview({ read: journal.read, orderRecords: orderRecordsIn(database) });
  const overview = openOverview({ journal, outbox, views: viewsAs(views), clock });
  const app = createServer({ basePath, bodyLimitBytes: 2 ** 20, log: silentLog, newReference: () => "REF" });
  const newReference = () => "REF";
  const gate = adminGate({ apiKey, newReference, clock, settings });
  const common = { gate, log: silentLog, basePath, newReference };
  sessionRoutes(app, { ...common, dates: () => dates, traceUrl: () => undefined });
  const acted: PersonDid[] = [];
  const actions = { add: async (did: PersonDid) => void acted.push(did) };
  const support = { maskSecrets: (text: string) => text.replaceAll("s3cret", "***"), version: "1.2.3", clock };
  adminRoutes(app, {
    ...{ ...common, ...support, actions, overview, dates: () => dates },
    readEdit: async (bytes) => readEdit(bytes),
  });
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await app.close();
    database.close();
    await journal.close();
  };
  onFinished(close);

  const event = async <Id extends EventId>(topic: Id, input: InputOf<Id>, handling: Handling = "queue") => {
    const [appended] = await journal.append([
      {
        id: `evt_${newId(clock)}`,
        direction: "out",
        topic,
        lanes: lanesOfEvent(topic, input),
        body: JSON.stringify(input),
        payload: null,
        acceptLanguage: null,
        receivedAt: clock.now(),
        handling,
        ...(handling === "keep" ? {} : { target: setupTarget }),
      },
    ]);
    if (appended === undefined || "repeatOf" in appended) throw new Error("nothing was stored");
    clock.advance({ seconds: 1 });
    return appended.seq;
  };
  const push = async (topic: "workOrders" | "cancellations" | "items", value: object) => {
    const reading = readPush(topic, value, dates);
    if ("problems" in reading) throw new Error(JSON.stringify(reading.problems));
    const receivedAt = clock.now();
    await journal.append(reading.entries.map((entry) => ({ ...entry, id: `evt_${newId(clock)}`, receivedAt })));
    clock.advance({ seconds: 1 });
  };
  /** Records one attempt with this result. */
  const attempt = async (seq: number, verdict: Verdict, rest: Partial<Attempt> = {}) => {
    const startedAt = clock.now();
    if ((await journal.start(seq, "token")) === null) throw new Error(`entry ${seq} cannot be started`);
    clock.advance({ ms: 40 });
    await journal.settle({ seq, token: "token" }, verdict, { startedAt, endedAt: clock.now(), ...rest });
  };
  const call = async (method: "GET" | "POST", path: string, body?: object, headers: Record<string, string> = {}) => {
    const answer = await app.inject({
      method,
      url: basePath + path,
      headers: {
        "x-api-key": apiKey,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      json: () => JSON.parse(answer.body),
    };
  };
  return { acted, app, journal, overview, clock, folder, added, paused, event, push, attempt, call, close };
}

function recordingOutbox(journal: Journal) {
  const added: OpenEntry[] = [];
  const paused = new Set<string>();
  const outbox: Outbox = {
    add: (entries) => void added.push(...entries),
    replace: () => {},
    announce: () => () => {},
    act: async (...decision) => {
      const released = await journal.act(...decision);
      added.push(...(released ?? []));
      return released;
    },
    reserve: () => null,
    abandon: () => {},
    retarget: () => {},
    pause: (target) => void paused.add(target),
    resume: (target) => void paused.delete(target),
    overview: () => [
      {
        target: setupTarget,
        isPaused: paused.has(setupTarget),
        isRemoved: false,
        breaker: "closed",
        waiting: added.length,
        inFlight: 0,
        concurrency: 8,
      },
    ],
    stop: async () => {},
  };
  return { outbox, added, paused };
}
