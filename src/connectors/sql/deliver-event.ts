import { writeInTurns } from "../../kit/json/write-in-turns.ts";
import { Fault } from "../../operation/fault.ts";
import { type AnyOutcome, ok, refuse } from "../../operation/outcome.ts";
import type { RecordSent } from "../../operation/record-sent.ts";
import type { BoundStatement, Given } from "./compile/bound-statement.ts";
import type { CompiledEvent, EventStatement } from "./compile/compile-operation.ts";
import type { Pool, RowLimit } from "./drivers/database.ts";
import type { SqlProblem } from "./drivers/errors/sql-problem.ts";
import type { ReadyStatement, Session, Transaction } from "./drivers/in-transaction.ts";
import { faultOfProblem } from "./fault-of-problem.ts";
import type { RefusalRule } from "./options.ts";
import type { BoundValue, Dialect } from "./statement/dialect.ts";
import { readElements } from "./statement/parameter-scope.ts";

export interface DeliverNeeds extends EarlierNeeds {
  /**
   * The statement that records the delivery in the adapter's own table; undefined if the customer's table has a column
   * for it.
   */
  readonly markDelivered: BoundStatement | undefined;
  /** The error text if the adapter's own table is missing. */
  readonly missingTable: string;
  /** Records each statement with its values in the journal's attempt. */
  readonly record?: RecordSent | undefined;
  /** The login that writes, for error texts about missing rights. */
  readonly role: string;
}

/**
 * A transaction that conflicts with another is repeated at once, up to this often; after that the delivery queue
 * retries it.
 */
const mostTries = 3;

/** The current position in an event, for error texts. */
interface Place {
  /** The statement, in words for an error text. */
  doing: string;
  isMark: boolean;
  statement: ReadyStatement | null;
}

/** Ends a transaction with a refusal; nothing is changed. */
class Refused extends Error {
  readonly outcome: AnyOutcome;
  constructor(outcome: AnyOutcome) {
    super("refused");
    this.outcome = outcome;
  }
}

/**
 * Runs all statements of an event and the delivery mark in one transaction. An entry that was delivered before is a
 * success.
 */
export async function deliverEvent(
  event: CompiledEvent,
  given: Given,
  signal: AbortSignal,
  needs: DeliverNeeds,
): Promise<AnyOutcome & { readonly wasThere?: boolean }> {
  const filled = await event.params.fill(given);
  for (let attempt = 1; ; attempt++) {
    const at: Place = { doing: event.name, isMark: false, statement: null };
    try {
      await needs.transaction("write", signal, (session) => runAll(event, filled, session, needs, at));
      return delivered(event);
    } catch (error) {
      if (error instanceof Refused) return error.outcome;
      if (error instanceof Fault) throw error;
      const problem = needs.explain(error);
      if (isOurs(problem, given, at.isMark, needs)) {
        if (at.isMark || (await wasThereBefore(at, given, signal, needs)))
          return { ...delivered(event), wasThere: true };
        throw wroteTwice(at, problem, error);
      }
      if (problem.kind === "busy" && attempt < mostTries) continue;
      const rule = event.refusals.find((one) => matches(one, problem));
      if (rule !== undefined) return refuse(rule.result, rule.text ?? problem.text);
      if (at.isMark && problem.kind === "statement") {
        // Not the event's fault: events wait until the table exists, and none is lost.
        throw new Fault("unreachable", `${needs.missingTable} (${problem.text})`, { cause: error });
      }
      throw faultOfProblem(problem, at.doing, { access: "write", role: needs.role }, error);
    }
  }
}

const delivered = ({ row }: CompiledEvent): AnyOutcome =>
  ok(row?.data === undefined ? null : { updateWorkOrderRequest: null });

const rowsWritten = (count: number) => (count === 1 ? "1 row" : `${count} rows`);

async function runAll(
  event: CompiledEvent,
  given: Given,
  session: Session,
  { markDelivered, limit, record }: DeliverNeeds,
  at: Place,
): Promise<void> {
  const run = async (statement: ReadyStatement) => {
    const answered = record?.({ to: statement.text, body: await shownValues(statement.values) });
    const result = await session.run(statement, limit);
    const { rows, affected } = result;
    answered?.({ body: rows.length > 0 ? rowsWritten(rows.length) : `${rowsWritten(affected)} changed` });
    return result;
  };
  if (markDelivered !== undefined) {
    at.isMark = true;
    await run(await markDelivered.bindInTurns(given));
    at.isMark = false;
  }
  for (const [index, one] of event.statements.entries()) {
    at.doing = `statement ${index + 1} of ${event.name}`;
    for (const values of valuesOf(one, given)) {
      at.statement = await one.statement.bindInTurns(values);
      const { rows, affected } = await run(at.statement);
      demandRows(one, rows.length > 0 ? rows.length : affected, at.doing);
    }
  }
}

/** The statements with their values, without running them. */
export async function statementsOf(event: CompiledEvent, given: Given): Promise<ReadyStatement[]> {
  const filled = await event.params.fill(given);
  return event.statements.flatMap((one) => valuesOf(one, filled).map((values) => one.statement.bind(values)));
}

/** Writes the values for the journal. A value may be megabytes long: other requests run meanwhile. */
const shownValues = async (values: ReadyStatement["values"]): Promise<string> =>
  (await writeInTurns(values.map(shownValue))) ?? "";

/** A value as JSON can show it: numbers beyond 2^53 as text, bytes as their count. */
function shownValue(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  return value instanceof Uint8Array ? `(${value.length} bytes)` : value;
}

function valuesOf({ each }: EventStatement, given: Given): Given[] {
  if (each === undefined) return [given];
  return readElements(given, each).map(({ value, parent }, eachIndex) => ({
    ...given,
    each: value,
    parent,
    eachIndex,
  }));
}

/** An UPDATE that matches no row reports no error; only the number of changed rows shows it. */
function demandRows({ expectRows, otherwise }: EventStatement, count: number, doing: string): void {
  if (expectRows === undefined || count === expectRows) return;
  if (otherwise !== undefined) throw new Refused(refuse(otherwise.result, otherwise.text));
  throw new Fault(
    "rejected",
    `${doing} changed ${count} rows, expected ${expectRows}; the transaction was rolled back`,
  );
}

/** Whether this entry was written before: by our own statement, or by a unique key that contains its id. */
function isOurs(problem: SqlProblem, given: Given, isMark: boolean, needs: DeliverNeeds): boolean {
  if (problem.kind !== "duplicate") return false;
  if (needs.markDelivered !== undefined) return isMark;
  const entryId = String(given["entryId"]);
  // SQLite names only the columns of the key; the other databases name the value or the key.
  return problem.text.includes(entryId) || problem.constraint.toLowerCase().includes(needs.entryColumn.toLowerCase());
}

async function wasThereBefore(at: Place, given: Given, signal: AbortSignal, needs: DeliverNeeds): Promise<boolean> {
  if (at.statement === null) return false;
  try {
    return await wasDeliveredBefore(at.statement, String(given["entryId"]), signal, needs);
  } catch (error) {
    throw error instanceof Fault
      ? error
      : faultOfProblem(needs.explain(error), at.doing, { access: "write", role: needs.role }, error);
  }
}

const wroteTwice = ({ doing }: Place, { text }: SqlProblem, cause: unknown) =>
  new Fault(
    "rejected",
    `${doing} wrote the entry id twice within this event, but the key allows it once: make the key unique over ` +
      `:entryId and :eachIndex, or use \`idempotency: table\`; the transaction was rolled back (${text})`,
    { cause, answer: { text } },
  );

const matches = ({ code, sqlState, constraint }: RefusalRule, problem: SqlProblem): boolean =>
  (code === undefined || code === problem.code) &&
  (sqlState === undefined || sqlState === problem.sqlState) &&
  (constraint === undefined ||
    problem.constraint.split(".").at(-1) === constraint ||
    problem.constraint === constraint);

interface EarlierNeeds {
  readonly explain: Pool["explain"];
  readonly transaction: Transaction;
  readonly limit: RowLimit;
  readonly dialect: Dialect;
  readonly entryColumn: string;
}

/** Ends a transaction whose statement succeeded, so that it is rolled back. */
class WentThrough extends Error {}

/**
 * Whether a duplicate of the entry id existed before the current transaction. An event that writes its id twice
 * conflicts with its own row. Without this check it would count as delivered earlier and be rolled back.
 */
async function wasDeliveredBefore(
  refused: ReadyStatement,
  entryId: BoundValue,
  signal: AbortSignal,
  needs: EarlierNeeds,
): Promise<boolean> {
  const { transaction, explain, limit } = needs;
  const query = queryFor(refused.text, needs);
  if (query !== null) {
    try {
      return await transaction("write", signal, async (session) => {
        const { rows } = await session.run({ text: query, values: [entryId] }, { maxRows: 1, onMore: "cut" });
        return rows.length > 0;
      });
    } catch (error) {
      // The login may lack SELECT, or the column may have a different name.
      if (explain(error).kind !== "statement") throw error;
    }
  }
  try {
    await transaction("write", signal, async (session) => {
      await session.run(refused, limit);
      throw new WentThrough();
    });
    return false;
  } catch (error) {
    if (error instanceof WentThrough) return false;
    return explain(error).kind === "duplicate";
  }
}

const tableName = /^\s*insert\s+into\s+((?:[\w$.]|"[^"]+"|`[^`]+`|\[[^\]]+\])+)/i;

/** Null if the statement does not start with the name of its table. */
function queryFor(text: string, { entryColumn, dialect }: EarlierNeeds): string | null {
  const table = tableName.exec(text)?.[1];
  if (table === undefined || !/^\w+$/.test(entryColumn)) return null;
  return `SELECT 1 AS found FROM ${table} WHERE ${entryColumn} = ${dialect.placeholder(1)}`;
}
