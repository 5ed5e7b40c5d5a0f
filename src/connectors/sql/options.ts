import { type Static, Type } from "typebox";
import { type DerivedEventId, derivedMembers } from "../../contract/derived-events.ts";
import { type EventId, operationIds, operationRow, type QueryId } from "../../contract/operations.ts";
import { pushTopics } from "../../contract/pushes.ts";
import { choice } from "../../contract/schemas/parts.ts";
import { mappingSchema } from "../../mapping/compile/compiling.ts";
import { badRecordsOption } from "../../operation/bad-records.ts";
import { defaultCompareHours } from "../../sdk/full-comparison.ts";
import { closed, columns, filled, optionDefaults, whole } from "./option-parts.ts";
import { type DriverName, driverNames } from "./statement/dialect.ts";

const statementText = filled(
  "The statement. Values are passed only as parameters: `:number`, `:body.userEmail`, `:entryId`.",
);
const params = Type.Optional(
  Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: "object",
    description: "Additional parameters: name → mapping rule over the input (`body`, `entryId`, `language` …).",
  }),
);
const fold = Type.Optional(
  closed("How the rows of a join become orders.", {
    by: columns("Column or columns with the same values in all rows of one order."),
    lines: Type.Optional(
      Type.String({
        description: "Name of the list of an order's rows, as the mapping sees it.",
        default: optionDefaults.lines,
        minLength: 1,
      }),
    ),
    lineKey: Type.Optional(
      Type.String({ description: "A column that is null if the row is not a line, as in an outer join." }),
    ),
  }),
);
const map = Type.Optional(mappingSchema);

const query = (description: string) =>
  Type.Optional(
    closed(description, {
      sql: Type.Optional(statementText),
      orders: Type.Optional(filled("Instead of `sql`: the statement that returns the orders, one row each.")),
      lines: Type.Optional(filled("With `orders`: the statement that returns their lines.")),
      key: Type.Optional(columns("With `orders` and `lines`: column or columns of both statements that join them.")),
      map,
      fold,
      params,
    }),
  );

const refusals = Type.Optional(
  Type.Array(
    closed("A database error that is a refusal for the operator.", {
      code: Type.Optional(filled("Error code or number of the database.")),
      sqlState: Type.Optional(filled("SQLSTATE of five characters, such as `P0001`.")),
      constraint: Type.Optional(filled("Name of the violated constraint or key.")),
      result: filled("Name of the result that is sent to the platform, such as `WorkOrderAlreadyAttached`."),
      text: Type.Optional(filled("Text for the operator; default: the database's error text.")),
    }),
    { description: "Which database errors are refusals that are shown to the operator.", default: [] },
  ),
);

const statement = closed("One statement of an event.", {
  sql: statementText,
  each: Type.Optional(
    filled(
      "Runs once per element of this list, such as `body`; the element is `:each`, the object that contains the list is `:parent`.",
    ),
  ),
  expectRows: Type.Optional(
    Type.Integer({
      description: "How many rows must be changed; otherwise the transaction is rolled back.",
      minimum: 0,
    }),
  ),
  otherwise: Type.Optional(filled("With `expectRows`: name of the result if the number differs.")),
  otherwiseText: Type.Optional(filled("With `otherwise`: text for the operator.")),
});

const eventShape = (description: string) =>
  closed(description, {
    statements: Type.Array(statement, { description: "All in one transaction, in this order.", minItems: 1 }),
    params,
    refusals,
  });

const poll = closed("A table that is polled.", {
  topic: choice(pushTopics, "What the rows are imported as."),
  everySeconds: whole("How often.", optionDefaults.everySeconds, 1, 86_400),
  compareEveryHours: whole(
    "How often everything since `start` is read and compared, to find rows that were committed too late; 0: never.",
    defaultCompareHours,
    0,
    8_760,
  ),
  badRecords: Type.Optional(
    badRecordsOption("quarantine", {
      of: "those read with it, and the next poll reads them again",
      shown: "it is listed by `crossdock quarantine`",
    }),
  ),
  sql: filled("The statement; `:since` is the greatest change seen so far, less the overlap."),
  since: closed("Which rows are new.", {
    column: filled("Column of the result with the time or the sequence number of a row's last change."),
    start: Type.Optional(
      Type.Unsafe<string | number>({
        type: ["string", "number"],
        description: "First value of `:since`; default: 1970-01-01 00:00:00.",
      }),
    ),
    overlapSeconds: whole(
      "How far each poll goes back before the latest change seen: transactions can be committed out of order.",
      optionDefaults.overlapSeconds,
      0,
      604_800,
    ),
  }),
  map,
  fold,
});

const rows = (kind: "query" | "event") =>
  operationIds.filter((id) => operationRow(id).kind === kind && id !== "getStatus" && !id.startsWith("parse"));
// The ids were filtered by kind in the line above; the filter's type does not show it.
export const queryIds = rows("query") as QueryId[];
// As above.
export const eventIds = rows("event") as EventId[];

const operations = Type.Optional(
  Type.Unsafe<
    { readonly [Id in QueryId]?: QueryOptions } & { readonly [Id in EventId | DerivedEventId]?: EventOptions }
  >({
    ...closed("Statements by operation.", {
      ...Object.fromEntries(queryIds.map((id) => [id, query(operationRow(id).summary)])),
      ...Object.fromEntries(eventIds.map((id) => [id, Type.Optional(eventShape(operationRow(id).summary))])),
      ...derivedMembers((summary) => Type.Optional(eventShape(summary))),
    }),
    default: {},
  }),
);

export const sqlOptions = Type.Object(
  {
    driver: Type.Unsafe<DriverName>({
      type: "string",
      enum: [...driverNames],
      description: "Kind of database; `mysql` also for MariaDB. All except sqlite need a library: pg, mysql2 or mssql.",
    }),
    url: Type.Optional(
      Type.String({
        description:
          "Instead of host, port, database, username and password: `postgres://user:password@host:5432/erp`.",
      }),
    ),
    host: Type.Optional(filled("Host of the database.")),
    port: Type.Optional(
      Type.Integer({ description: "Port; default: the standard port of the database.", minimum: 1, maximum: 65_535 }),
    ),
    database: Type.Optional(filled("Name of the database.")),
    file: Type.Optional(
      filled("Database file, for sqlite; absolute, or relative to the configuration's folder.", {
        relativeTo: "configuration",
      }),
    ),
    username: Type.Optional(filled("Login for events, and for queries without `readUsername`.")),
    password: Type.Optional(
      Type.String({ description: "Password; better taken from an environment variable or a file than written here." }),
    ),
    readUsername: Type.Optional(filled("Login for queries; default: `username`. Grant it SELECT only.")),
    readPassword: Type.Optional(Type.String({ description: "Password of `readUsername`." })),
    tls: Type.Optional(
      Type.Unsafe<boolean | TlsOptions>({
        type: ["boolean", "object"],
        description: "Whether the connection is encrypted; an object sets the certificates.",
        default: false,
        properties: {
          ca: { type: "string", description: "Certificates (PEM) to trust." },
          cert: { type: "string", description: "Client certificate (PEM)." },
          key: { type: "string", description: "Its key (PEM)." },
          serverName: { type: "string", description: "Name in the server's certificate, if it is not the host." },
          verify: { type: "boolean", description: "False accepts any certificate.", default: true },
        },
        additionalProperties: false,
      }),
    ),
    poolSize: whole("Connections per login.", optionDefaults.poolSize, 1, 100),
    connectTimeoutMs: whole("Timeout for a new connection.", optionDefaults.connectTimeoutMs, 100, 120_000),
    statementTimeoutMs: whole("Timeout of one statement.", optionDefaults.statementTimeoutMs, 10, 600_000),
    maxRows: whole(
      "Largest number of rows one statement may return; more is a fault.",
      optionDefaults.maxRows,
      1,
      5_000_000,
    ),
    idempotency: Type.Optional(
      choice(
        ["table", "column"],
        "How a retried event is recognised: by a table of the adapter, written in the same transaction, or by a unique column of your " +
          "own that contains `:entryId`.",
        optionDefaults.idempotency,
      ),
    ),
    deliveredTable: Type.Optional(
      Type.String({
        description: "Name of the adapter's table.",
        default: optionDefaults.deliveredTable,
        pattern: "^[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?$",
      }),
    ),
    createDeliveredTable: Type.Optional(
      Type.Boolean({
        description: "Whether the table is created if it is missing.",
        default: optionDefaults.createDeliveredTable,
      }),
    ),
    entryColumn: Type.Optional(
      Type.String({
        description: "With `idempotency: column`: the unique column that contains `:entryId`.",
        default: optionDefaults.entryColumn,
        minLength: 1,
      }),
    ),
    operations,
    notices: Type.Optional(eventShape("Statements for the adapter's own messages, such as receipts of changes.")),
    poll: Type.Optional(
      Type.Array(poll, {
        description: "Tables that are polled and imported instead of being queried on demand.",
        default: [],
      }),
    ),
    refusals,
  },
  { additionalProperties: false },
);
export type SqlOptions = Static<typeof sqlOptions>;
export type QueryOptions = Static<ReturnType<typeof query>>;
export type EventOptions = Static<ReturnType<typeof eventShape>>;
export type PollOptions = Static<typeof poll>;
export type RefusalRule = NonNullable<Static<typeof refusals>>[number];

export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly serverName?: string;
  readonly verify?: boolean;
}
