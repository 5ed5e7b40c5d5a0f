import { type DerivedEventId, isDerivedEvent } from "../../contract/derived-events.ts";
import type { EventId, QueryId } from "../../contract/operations.ts";
import { noSubject, refersToSubject } from "../../operation/event-subject.ts";
import { Fault } from "../../operation/fault.ts";
import { scannedInput } from "../../operation/normalise-work-order.ts";
import type { AnyOutcome } from "../../operation/outcome.ts";
import type {
  CallContext,
  Delivery,
  DerivedEvents,
  OnRecord,
  OpenConnector,
  OpenContext,
  Preview,
} from "../../sdk/connector.ts";
import { checkDatabase, deliveredTableText, type Explained } from "./check-database.ts";
import type { Given } from "./compile/bound-statement.ts";
import type { CompiledEvent, CompiledQuery } from "./compile/compile-operation.ts";
import { compileOptions, poolSettings } from "./compile/compile-options.ts";
import { deliverEvent, statementsOf } from "./deliver-event.ts";
import type { Access, Pool, PoolSettings, Row, RowLimit } from "./drivers/database.ts";
import { inTransaction, type Transaction } from "./drivers/in-transaction.ts";
import { faultOfProblem } from "./fault-of-problem.ts";
import { optionDefaults } from "./option-parts.ts";
import type { SqlOptions } from "./options.ts";
import { type CompiledPoll, type PollNeeds, pollSource } from "./poll/poll-source.ts";
import { sinceOf, sincePlaces } from "./poll/since-cursor.ts";
import { answerQuery } from "./rows/answer-query.ts";
import { noRecords, type Records } from "./rows/row-reader.ts";
import { dialects } from "./statement/dialect.ts";
import { readPath } from "./statement/parameter-scope.ts";

export interface SqlNeeds extends OpenContext {
  readonly openPool: (settings: PoolSettings) => Promise<Pool>;
}

/** One database: queries are SELECT statements, events are statements of one transaction, tables are polled. */
export async function openSql(options: SqlOptions, { openPool, ...context }: SqlNeeds): Promise<OpenConnector> {
  const { clock, log, timers, connectorState, dates, tracing } = context;
  const { queries, events, notices, polls, markDelivered, problems } = compileOptions(options, dates);
  if (problems.length > 0) {
    throw new Fault("invalid", problems.map(({ path, text }) => `${path.join(".") || "sql"}: ${text}`).join("\n"));
  }
  const settings = poolSettings(options);
  const { statementTimeoutMs } = settings;
  const limit: RowLimit = { maxRows: options.maxRows ?? optionDefaults.maxRows, onMore: "fault" };
  const table = options.deliveredTable ?? optionDefaults.deliveredTable;
  const createTable = deliveredTableText(options.driver, table);
  const pool = await openPool(settings);
  const never = new AbortController().signal;

  const transaction: Transaction = (access, signal, work) =>
    inTransaction({ pool, timers, access, signal, statementTimeoutMs }, work);

  const roleOf = (access: Access) => (access === "read" ? settings.readLogin : settings.login).user;
  const explained: Explained = async (access, doing, run) => {
    try {
      return await run();
    } catch (error) {
      throw error instanceof Fault
        ? error
        : faultOfProblem(pool.explain(error), doing, { access, role: roleOf(access) }, error);
    }
  };

  const readQueryInput = (query: CompiledQuery, given: Given, rows: RowLimit, signal: AbortSignal) =>
    explained<Records>("read", `the statement of ${query.id}`, async () => {
      const filled = await query.params.fill(given);
      try {
        return await transaction("read", signal, (session) => query.reader.read(session, filled, rows));
      } catch (error) {
        // Letters were scanned but the column holds numbers: there is no such order, and nothing is broken.
        const hasValues = query.reader.statements.some(({ uses }) => uses.size > 0);
        if (error instanceof Fault || !hasValues || pool.explain(error).kind !== "unfit") throw error;
        log.info(
          { operation: query.id, reason: pool.explain(error).text },
          "nothing found: the requested value does not fit the type of the column",
        );
        return noRecords;
      }
    });

  const readPoll: PollNeeds["read"] = (poll, since, { limit: rows, signal, onRow }) =>
    explained("read", `the poll of ${poll.options.topic}`, () =>
      transaction("read", signal, (session) => poll.reader.read(session, { since }, rows, onRow)),
    );

  const answer = async (
    query: CompiledQuery,
    input: unknown,
    { language, signal }: CallContext,
  ): Promise<AnyOutcome> => {
    const given = givenOf(scannedInput(query.id, input), { language });
    return await answerQuery(query, await readQueryInput(query, given, limit, signal), given);
  };

  let creating: Promise<void> | undefined;
  const ensureTable = async (): Promise<void> => {
    if (options.createDeliveredTable !== true || markDelivered === undefined) return;
    creating ??= explained("write", `the table ${table}`, () =>
      transaction("write", never, async (session) => {
        await session.run({ text: createTable, values: [] }, limit);
      }),
    );
    // After a failure the next event tries again.
    creating.catch(() => {
      creating = undefined;
    });
    await creating;
  };

  const needsSubject = refersToSubject([options.operations, options.notices]);
  const subjectOf = async (input: unknown, { findSubject }: CallContext) =>
    needsSubject ? ((await findSubject?.(input)) ?? noSubject) : {};
  const deliver = async (event: CompiledEvent, input: unknown, context: CallContext) => {
    const { language, signal, delivery, record } = context;
    if (delivery === undefined) throw new Fault("broken", "only an event of the journal can be written");
    await ensureTable();
    const given = givenOf(input, { language, ...namesOf(delivery), ...(await subjectOf(input, context)) });
    const { entryId } = delivery;
    const missingTable = `the table ${table} is missing or not accessible; create it: ${createTable}`;
    const entryColumn = options.entryColumn ?? optionDefaults.entryColumn;
    const dialect = dialects[options.driver];
    const needs = {
      ...{ explain: pool.explain, transaction, limit, dialect, markDelivered, missingTable, entryColumn },
      record,
      role: roleOf("write"),
    };
    const { wasThere, ...outcome } = await deliverEvent(event, given, signal, needs);
    if (wasThere === true) log.info({ entry: entryId }, "the database already has this entry; nothing was changed");
    return outcome;
  };

  const written = <Id extends EventId | DerivedEventId>(isOne: (id: EventId | DerivedEventId) => id is Id) =>
    [...events].flatMap(([id, event]) =>
      isOne(id) ? [[id, (input: unknown, call: CallContext) => deliver(event, input, call)] as const] : [],
    );

  /** The statements that would be run. */
  const statementsFor = async (event: CompiledEvent | undefined, input: unknown, call: CallContext) => {
    const { language, delivery } = call;
    if (event === undefined || delivery === undefined) return [];
    const given = givenOf(input, { language, ...namesOf(delivery), ...(await subjectOf(input, call)) });
    const statements = await statementsOf(event, given);
    return statements.map(({ text, values }) => ({ to: text, body: values.map(String) }));
  };

  return {
    // Each operation has its own input and outcome type; a table of all operations cannot express that.
    operations: Object.fromEntries([
      ...queries.map((query) => [query.id, (input: unknown, call: CallContext) => answer(query, input, call)] as const),
      ...written(isPlatformEvent),
    ] satisfies (readonly [QueryId | EventId, unknown])[]) as OpenConnector["operations"],
    // As above.
    derived: Object.fromEntries(written(isDerivedEvent)) as DerivedEvents,
    ...(notices === undefined
      ? {}
      : { notices: (_topic: string, payload: unknown, call: CallContext) => deliver(notices, payload, call) }),
    ...(polls.length === 0
      ? {}
      : {
          source: pollSource(polls, {
            ...{ clock, timers, log, connectorState, limit, tracing },
            timeZone: dates.timeZone,
            read: readPoll,
          }),
        }),
    warnings: polls.flatMap(({ options: { topic, compareEveryHours } }) =>
      compareEveryHours === 0
        ? [
            `poll of ${topic}: with \`compareEveryHours: 0\` a row that is committed later than \`overlapSeconds\` is never seen`,
          ]
        : [],
    ),
    preview: (count, onRecord) =>
      previewQueries(count, {
        onRecord,
        queries,
        polls,
        query: (query, given, rows) => readQueryInput(query, { language: "en", ...given }, rows, never),
        poll: (poll, since, reading) => readPoll(poll, since, { ...reading, signal: never }),
      }),
    dryRun: (id, input, call) => statementsFor(events.get(id), input, call),
    dryRunNotice: (_topic, payload, call) => statementsFor(notices, payload, call),
    check: () => {
      // A check changes nothing: if the adapter may create the table, the first event does it.
      const needsTable = markDelivered !== undefined && options.createDeliveredTable !== true;
      return checkDatabase({ queries, events, notices, polls, table, createTable, needsTable, transaction, explained });
    },
    close: () => pool.close(),
  };
}

const isPlatformEvent = (id: EventId | DerivedEventId): id is EventId => !isDerivedEvent(id);

/** The values of the entry that is being delivered, by the names that statements use. */
const namesOf = ({ entryId, topic, attempt, replay, receivedAt }: Delivery): Given => ({
  ...{ entryId, topic, attempt, replay },
  receivedAt: new Date(receivedAt).toISOString(),
});

/**
 * The input's members by name, the whole input, and the values that the adapter adds. Added values win over input
 * members.
 */
const givenOf = (input: unknown, added: Given): Given => ({
  ...(Array.isArray(input) ? {} : Object(input)),
  body: input,
  ...added,
});

interface PreviewNeeds {
  readonly onRecord: OnRecord | undefined;
  readonly queries: readonly CompiledQuery[];
  readonly polls: readonly CompiledPoll[];
  readonly query: (query: CompiledQuery, given: Given, limit: RowLimit) => Promise<Records>;
  readonly poll: (
    poll: CompiledPoll,
    since: string,
    reading: { readonly limit: RowLimit; readonly onRow: (row: Row) => void },
  ) => Promise<Records>;
}

/** Limit of rows per record in a preview: an order with more lines is shown with fewer. */
const rowsPerRecord = 50;

/** A few records of each query and poll. Queries for one order or item use the first one found. */
async function previewQueries(limit: number, needs: PreviewNeeds): Promise<Preview[]> {
  const { queries, polls, query, poll, onRecord } = needs;
  const previews: Preview[] = [];
  const rows: RowLimit = { maxRows: limit * rowsPerRecord, onMore: "cut" };
  const show = async (one: CompiledQuery | CompiledPoll, serves: Preview["serves"], records: Records) => {
    const path = "id" in one ? ["operations", one.id] : ["poll", polls.indexOf(one)];
    let shown = 0;
    for await (const raw of records) {
      if (shown++ === limit) break;
      onRecord?.({ path, serves, record: raw });
      const { value, problems } = await one.mapping.apply(raw);
      previews.push({ serves, raw, mapped: value, problems, sourceOf: one.mapping.sourceOf });
    }
  };
  for (const one of polls) {
    const places = sincePlaces(one);
    await show(one, one.options.topic, await poll(one, sinceOf(one.start, 0), { limit: rows, onRow: places.note }));
    const problem = places.problem();
    if (problem !== null) throw new Fault("invalid", `${one.options.topic}: ${problem}; correct since.column`);
  }
  for (const one of queries) if (one.id === "listWorkOrders") await show(one, one.id, await query(one, {}, rows));

  const order = previews.find(({ serves }) => serves === "listWorkOrders" || serves === "workOrders")?.mapped;
  const item = previews.find(({ serves }) => serves === "items")?.mapped;
  const code = readPath(order, ["number"]);
  const itemNumber = readPath(item, ["number"]) ?? readPath(order, ["requests", "0", "itemNumber"]);
  for (const one of queries) {
    if (one.id === "findWorkOrderByCode" && code !== undefined) {
      await show(one, one.id, await query(one, { Code: code, StorageName: null }, rows));
    }
    if (one.id === "findPutWallOrders" && code !== undefined) await show(one, one.id, await query(one, { code }, rows));
    if (one.id === "getItem" && itemNumber !== undefined) {
      await show(one, one.id, await query(one, { number: itemNumber }, rows));
    }
    if (one.id === "getExportColumns" || one.id === "getIndexableValueLabel") {
      await show(one, one.id, await query(one, {}, rows));
    }
  }
  return previews;
}
