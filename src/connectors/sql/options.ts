import { type Static, type TProperties, Type } from "typebox";
import { type EventId, operationIds, operationRow, type QueryId } from "../../contract/operations.ts";
import { pushTopics } from "../../contract/pushes.ts";
import { mappingSchema } from "../../mapping/compile/compiling.ts";
import { badRecordsOption } from "../../operation/bad-records.ts";
import { defaultCompareHours } from "../../sdk/intake.ts";
import { type DriverName, driverNames } from "./statement/dialect.ts";

export const optionDefaults = {
  poolSize: 4,
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 10_000,
  maxRows: 1_000_000,
  idempotency: "table",
  deliveredTable: "crossdock_delivered",
  createDeliveredTable: false,
  entryColumn: "entry_id",
  everySeconds: 60,
  overlapSeconds: 300,
  lines: "lines",
} as const;

export const defaultPorts = { postgres: 5432, mysql: 3306, sqlserver: 1433, sqlite: 0 } as const;

const closed = <P extends TProperties>(description: string, properties: P) =>
  Type.Object(properties, { description, additionalProperties: false });
const filled = (description: string, more: { relativeTo?: "configuration" } = {}) =>
  Type.String({ description, minLength: 1, ...more });
const choice = <const Names extends readonly string[]>(names: Names, description: string, fallback?: Names[number]) =>
  Type.Unsafe<Names[number]>({
    type: "string",
    enum: [...names],
    description,
    ...(fallback === undefined ? {} : { default: fallback }),
  });
const whole = (description: string, fallback: number, minimum: number, maximum: number) =>
  Type.Optional(Type.Integer({ description, default: fallback, minimum, maximum }));
const columns = (description: string) =>
  Type.Unsafe<string | readonly string[]>({ type: ["string", "array"], items: { type: "string" }, description });

const statementText = filled("The statement. Values only as parameters: `:number`, `:body.userEmail`, `:entryId`.");
const params = Type.Optional(
  Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: "object",
    description: "Further parameters: name → rule of a mapping over what comes in (`body`, `entryId`, `language` …).",
  }),
);
const fold = Type.Optional(
  closed("How the rows of a join become orders.", {
    by: columns("Column or columns that all rows of one order share."),
    lines: Type.Optional(
      Type.String({
        description: "Name under which the mapping finds the rows of an order.",
        default: optionDefaults.lines,
        minLength: 1,
      }),
    ),
    lineKey: Type.Optional(
      Type.String({ description: "A column that is null where the row is no line, as an outer join brings it." }),
    ),
  }),
);
const map = Type.Optional(mappingSchema);

const query = (description: string) =>
  Type.Optional(
    closed(description, {
      sql: Type.Optional(statementText),
      orders: Type.Optional(filled("Instead of `sql`: the statement that gives the orders, one row each.")),
      lines: Type.Optional(filled("With `orders`: the statement that gives their lines.")),
      key: Type.Optional(columns("With `orders` and `lines`: column or columns that both have and are joined by.")),
      map,
      fold,
      params,
    }),
  );

const refusals = Type.Optional(
  Type.Array(
    closed("An error of the database that is a no to be told to the operator.", {
      code: Type.Optional(filled("Error code or number of the database.")),
      sqlState: Type.Optional(filled("Five letters of the SQL standard, such as `P0001`.")),
      constraint: Type.Optional(filled("Name of the violated constraint or key.")),
      result: filled("Name of the result the platform gets, such as `WorkOrderAlreadyAttached`."),
      text: Type.Optional(filled("What the operator reads; absent: the database's own words.")),
    }),
    { description: "Which errors of the database are a no that the operator is told.", default: [] },
  ),
);

const statement = closed("One statement of an event.", {
  sql: statementText,
  each: Type.Optional(
    filled("Runs once per element of this list, such as `body`; the element is `:each`, what it stands in `:parent`."),
  ),
  expectRows: Type.Optional(
    Type.Integer({ description: "How many rows must be changed; otherwise nothing is.", minimum: 0 }),
  ),
  otherwise: Type.Optional(filled("With `expectRows`: name of the result where the number is another.")),
  otherwiseText: Type.Optional(filled("With `otherwise`: what the operator reads.")),
});

const eventShape = (description: string) =>
  closed(description, {
    statements: Type.Array(statement, { description: "All in one transaction, in this order.", minItems: 1 }),
    params,
    refusals,
  });

const poll = closed("A table that is looked into regularly.", {
  topic: choice(pushTopics, "What its rows become."),
  everySeconds: whole("How often.", optionDefaults.everySeconds, 1, 86_400),
  compareEveryHours: whole(
    "How often everything from the start on is read and compared, to find what was committed too late; 0: never.",
    defaultCompareHours,
    0,
    8_760,
  ),
  badRecords: Type.Optional(
    badRecordsOption("quarantine", {
      of: "those read with it, and the next poll reads them again",
      told: "it is listed by `crossdock quarantine`",
    }),
  ),
  sql: filled("The statement; `:since` is the greatest change seen so far, less the overlap."),
  since: closed("Which rows are new.", {
    column: filled("Column of the result that tells when, or in which order, a row was changed."),
    start: Type.Optional(
      Type.Unsafe<string | number>({
        type: ["string", "number"],
        description: "What `:since` is the first time; absent: 1970-01-01 00:00:00.",
      }),
    ),
    overlapSeconds: whole(
      "How far each look goes back behind the last one: a transaction may be committed after a later one.",
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
// The ids are filtered by kind in the line above; the filter's type does not say so.
export const queryIds = rows("query") as QueryId[];
// As above.
export const eventIds = rows("event") as EventId[];

const operations = Type.Optional(
  Type.Unsafe<{ readonly [Id in QueryId]?: QueryOptions } & { readonly [Id in EventId]?: EventOptions }>({
    ...closed("Statements by operation.", {
      ...Object.fromEntries(queryIds.map((id) => [id, query(operationRow(id).summary)])),
      ...Object.fromEntries(eventIds.map((id) => [id, Type.Optional(eventShape(operationRow(id).summary))])),
    }),
    default: {},
  }),
);

export const sqlOptions = Type.Object(
  {
    driver: Type.Unsafe<DriverName>({
      type: "string",
      enum: [...driverNames],
      description: "Which database: `mysql` also for MariaDB. Each but sqlite needs its library: pg, mysql2 or mssql.",
    }),
    url: Type.Optional(
      Type.String({
        description: "Instead of host, port, database, user and password: `postgres://user:password@host:5432/erp`.",
      }),
    ),
    host: Type.Optional(filled("Host of the database.")),
    port: Type.Optional(Type.Integer({ description: "Port; absent: the usual one.", minimum: 1, maximum: 65_535 })),
    database: Type.Optional(filled("Name of the database.")),
    file: Type.Optional(
      filled("The file, for sqlite; from the configuration's folder, or absolute.", { relativeTo: "configuration" }),
    ),
    user: Type.Optional(filled("Who logs in.")),
    password: Type.Optional(
      Type.String({ description: "Password; better from the environment or a file than written here." }),
    ),
    readUser: Type.Optional(filled("Who asks; absent: `user`. Give it nothing but SELECT.")),
    readPassword: Type.Optional(Type.String({ description: "Password of `readUser`." })),
    tls: Type.Optional(
      Type.Unsafe<boolean | TlsOptions>({
        type: ["boolean", "object"],
        description: "Whether the connection is encrypted; as an object, with which certificates.",
        default: false,
        properties: {
          ca: { type: "string", description: "Certificates (PEM) to trust." },
          cert: { type: "string", description: "Our own certificate (PEM)." },
          key: { type: "string", description: "Its key (PEM)." },
          serverName: { type: "string", description: "Name in the server's certificate, where it is not the host." },
          verify: { type: "boolean", description: "False takes any certificate.", default: true },
        },
        additionalProperties: false,
      }),
    ),
    poolSize: whole("Connections at the same time, per login.", optionDefaults.poolSize, 1, 100),
    connectTimeoutMs: whole("Until a connection stands.", optionDefaults.connectTimeoutMs, 100, 120_000),
    statementTimeoutMs: whole("How long one statement may take.", optionDefaults.statementTimeoutMs, 10, 600_000),
    maxRows: whole("Rows one statement may give; more is a fault.", optionDefaults.maxRows, 1, 5_000_000),
    idempotency: Type.Optional(
      choice(
        ["table", "column"],
        "How a repeated event is known: by our table, written in the same transaction, or by a unique column of your " +
          "own that gets `:entryId`.",
        optionDefaults.idempotency,
      ),
    ),
    deliveredTable: Type.Optional(
      Type.String({
        description: "Name of that table.",
        default: optionDefaults.deliveredTable,
        pattern: "^[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?$",
      }),
    ),
    createDeliveredTable: Type.Optional(
      Type.Boolean({
        description: "Whether the table is created where it is missing.",
        default: optionDefaults.createDeliveredTable,
      }),
    ),
    entryColumn: Type.Optional(
      Type.String({
        description: "With `idempotency: column`: the unique column that gets `:entryId`.",
        default: optionDefaults.entryColumn,
        minLength: 1,
      }),
    ),
    operations,
    notices: Type.Optional(eventShape("Statements for what the adapter tells by itself, such as receipts of changes.")),
    poll: Type.Optional(
      Type.Array(poll, { description: "What is brought in regularly instead of being asked for.", default: [] }),
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
