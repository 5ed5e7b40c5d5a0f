import type { Timers } from "../../../kit/time/timers.ts";
import { Fault } from "../../../operation/fault.ts";
import type { BoundValue } from "../statement/dialect.ts";
import {
  type Access,
  type Connection,
  largestResult,
  type Pool,
  type Row,
  RowCollector,
  type RowLimit,
} from "./database.ts";
import type { SqlProblem } from "./errors/sql-problem.ts";

export interface Session {
  readonly run: (statement: ReadyStatement, limit: RowLimit) => Promise<Ran>;
  /** Like run, but each row is passed on as it arrives, so that not all of them have to fit into memory. */
  readonly each: (statement: ReadyStatement, limit: RowLimit, take: (row: Row) => void) => Promise<number>;
  readonly verify: (text: string) => Promise<void>;
}

export interface ReadyStatement {
  readonly text: string;
  readonly values: readonly BoundValue[];
}

export interface Ran {
  readonly rows: readonly Row[];
  readonly affected: number;
}

export interface TransactionNeeds {
  readonly pool: Pool;
  readonly timers: Timers;
  readonly access: Access;
  readonly signal: AbortSignal;
  readonly statementTimeoutMs: number;
}

/** `inTransaction` with everything but the work already bound. */
export type Transaction = <Result>(
  access: Access,
  signal: AbortSignal,
  work: (session: Session) => Promise<Result>,
) => Promise<Result>;

/** How long a server may take to confirm a cancellation; a server that is gone never does. */
const graceMs = 1_000;

/**
 * Borrows a connection for one transaction. After any error nothing is changed, and the connection is returned or
 * closed.
 */
export async function inTransaction<Result>(
  needs: TransactionNeeds,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const { pool, access, signal } = needs;
  const connection = await acquired(needs);
  let isBroken = false;
  try {
    await timed(needs, connection.begin(access));
    const result = await work(sessionOf(connection));
    // Queries are always rolled back: some databases have no read-only transactions.
    if (!isBroken) await timed(needs, access === "read" ? connection.rollback() : connection.commit());
    return result;
  } catch (error) {
    isBroken ||= signal.aborted || error instanceof Silence || isOfServer(pool.explain(error), access);
    if (!isBroken) {
      await timed(needs, connection.rollback()).catch(() => {
        isBroken = true;
      });
    }
    throw error;
  } finally {
    connection.release(isBroken);
  }

  function sessionOf({ run, verify }: Connection): Session {
    const each: Session["each"] = async ({ text, values }, limit, take) => {
      const collector = new RowCollector(limit, take);
      try {
        const affected = await timed(needs, run(text, values, collector));
        if (collector.isCut && limit.onMore === "fault") throw tooMany(limit);
        return affected;
      } finally {
        // The server may still be sending rows that are not needed.
        isBroken ||= collector.isCut;
      }
    };
    return {
      each,
      run: async (statement, limit) => {
        const rows: Row[] = [];
        const affected = await each(statement, limit, (row) => rows.push(row));
        return { rows, affected };
      },
      verify: (text) => timed(needs, verify(text)),
    };
  }
}

/** Whether a new connection may help: after a failover the old connection may lead to a read-only server. */
const isOfServer = ({ kind }: SqlProblem, access: Access): boolean =>
  kind === "unreachable" || (kind === "readOnly" && access === "write");

const tooMany = ({ maxRows }: RowLimit) =>
  new Fault(
    "rejected",
    `the statement returns more than ${maxRows} rows, or ${largestResult / 2 ** 20} MiB: narrow it by WHERE, or raise maxRows`,
  );

/** Thrown if the database did not answer in time. */
class Silence extends Fault {
  constructor(message: string) {
    super("unreachable", message);
  }
}

async function acquired({ pool, access, signal }: TransactionNeeds): Promise<Connection> {
  const lending = pool.acquire(access);
  return await untilAborted(signal, lending).catch((error: unknown) => {
    // A connection that becomes available after the caller has given up must be returned to the pool.
    if (signal.aborted) lending.then((late) => late.release(false)).catch(() => {});
    throw error;
  });
}

function timed<Value>(
  { timers, signal, statementTimeoutMs }: TransactionNeeds,
  running: Promise<Value>,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const cancel = timers.after(statementTimeoutMs + graceMs, () =>
      reject(new Silence(`the database did not answer within ${statementTimeoutMs} ms`)),
    );
    untilAborted(signal, running).then(resolve, reject).finally(cancel);
  });
}

function untilAborted<Value>(signal: AbortSignal, running: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new Silence("the call was cancelled: its deadline has passed"));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    running.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
