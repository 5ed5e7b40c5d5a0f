import type { DerivedEventId } from "../../contract/derived-events.ts";
import type { EventId } from "../../contract/operations.ts";
import { Fault } from "../../operation/fault.ts";
import type { CompiledEvent, CompiledQuery } from "./compile/compile-operation.ts";
import type { Access } from "./drivers/database.ts";
import type { Transaction } from "./drivers/in-transaction.ts";
import type { CompiledPoll } from "./poll/poll-source.ts";
import type { DriverName } from "./statement/dialect.ts";

export interface CheckNeeds {
  readonly queries: readonly CompiledQuery[];
  readonly events: ReadonlyMap<EventId | DerivedEventId, CompiledEvent>;
  readonly notices: CompiledEvent | undefined;
  readonly polls: readonly CompiledPoll[];
  readonly table: string;
  readonly createTable: string;
  /** Whether the adapter's own table must already exist. */
  readonly needsTable: boolean;
  readonly transaction: Transaction;
  readonly explained: Explained;
}

/** Runs a database call and converts its errors to faults. */
export type Explained = <Result>(access: Access, doing: string, run: () => Promise<Result>) => Promise<Result>;

/** Never aborts: each statement has its own time limit. */
const never = new AbortController().signal;

interface Named {
  readonly doing: string;
  readonly text: string;
}

/** Connects with the same logins as in operation and lets the database parse every statement without running it. */
export async function checkDatabase(needs: CheckNeeds): Promise<void> {
  const events = [...needs.events.values(), ...(needs.notices === undefined ? [] : [needs.notices])];
  await verifyAll("read", readStatements(needs), needs);
  if (events.length === 0) return;
  if (needs.needsTable) await demandTable(needs);
  await verifyAll("write", events.flatMap(statementsOf), needs);
}

function readStatements({ queries, polls }: CheckNeeds): Named[] {
  return [
    { doing: "a first query", text: "SELECT 1" },
    ...queries.flatMap(({ id, reader }) =>
      reader.statements.map(({ text }) => ({ doing: `the statement of ${id}`, text })),
    ),
    ...polls.flatMap(({ options, reader }) =>
      reader.statements.map(({ text }) => ({ doing: `the poll of ${options.topic}`, text })),
    ),
  ];
}

const statementsOf = ({ name, statements }: CompiledEvent): Named[] =>
  statements.map(({ statement }, index) => ({ doing: `statement ${index + 1} of ${name}`, text: statement.text }));

async function verifyAll(access: Access, statements: readonly Named[], needs: CheckNeeds): Promise<void> {
  for (const { doing, text } of statements) {
    // One transaction each: after an error PostgreSQL accepts no further statement in the same transaction.
    await needs.explained(access, doing, () => needs.transaction(access, never, (session) => session.verify(text)));
  }
}

async function demandTable({ table, createTable, transaction, explained }: CheckNeeds): Promise<void> {
  const limit = { maxRows: 1, onMore: "cut" } as const;
  const readTable = () =>
    transaction("write", never, (session) => session.run({ text: selectDelivered(table), values: [] }, limit));
  try {
    await explained("write", `the table ${table}`, readTable);
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== "broken") throw error;
    const how = `${createTable}; or set createDeliveredTable: true`;
    throw new Fault("invalid", `the table ${table} is missing or not accessible. Create it once: ${how}`, {
      cause: error,
    });
  }
}

/** The statement for a database administrator to run once; also run by the adapter if the configuration allows it. */
export function deliveredTableText(driver: DriverName, table: string): string {
  switch (driver) {
    case "postgres":
      return `CREATE TABLE IF NOT EXISTS ${table} (entry_id varchar(64) PRIMARY KEY, delivered_at timestamptz NOT NULL DEFAULT now())`;
    case "mysql":
      return `CREATE TABLE IF NOT EXISTS ${table} (entry_id varchar(64) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY, delivered_at datetime NOT NULL DEFAULT CURRENT_TIMESTAMP) ENGINE = InnoDB`;
    case "sqlserver":
      return `IF OBJECT_ID('${table}') IS NULL CREATE TABLE ${table} (entry_id varchar(64) NOT NULL PRIMARY KEY, delivered_at datetime2 NOT NULL DEFAULT SYSUTCDATETIME())`;
    case "sqlite":
      return `CREATE TABLE IF NOT EXISTS ${table} (entry_id TEXT NOT NULL PRIMARY KEY, delivered_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)`;
  }
}

export const insertDelivered = (table: string): string => `INSERT INTO ${table} (entry_id) VALUES (:entryId)`;
const selectDelivered = (table: string): string => `SELECT entry_id FROM ${table} WHERE entry_id = ''`;
