import { changeReceiptSchema } from "../../../contract/change-receipt.ts";
import { type DerivedEventId, derivedEventIds, derivedEvents } from "../../../contract/derived-events.ts";
import { type EventId, operationRow, type QueryId } from "../../../contract/operations.ts";
import { decodedPart } from "../../../http-client/network/decoded-part.ts";
import { meantText } from "../../../kit/nearest-name.ts";
import type { DateSettings } from "../../../operation/dates.ts";
import { Fault } from "../../../operation/fault.ts";
import { insertDelivered } from "../check-database.ts";
import type { PoolSettings, TlsSettings } from "../drivers/database.ts";
import { defaultPorts, optionDefaults } from "../option-parts.ts";
import { type EventOptions, eventIds, type QueryOptions, queryIds, type SqlOptions } from "../options.ts";
import { type CompiledPoll, compilePoll } from "../poll/poll-source.ts";
import { type DriverName, dialects } from "../statement/dialect.ts";
import { scopeOfNames } from "../statement/parameter-scope.ts";
import { type BoundStatement, boundStatement, type Compiling, type OptionProblem } from "./bound-statement.ts";
import { type CompiledEvent, type CompiledQuery, compileEvent, compileQuery } from "./compile-operation.ts";

export interface CompiledOptions {
  readonly queries: readonly CompiledQuery[];
  readonly events: ReadonlyMap<EventId | DerivedEventId, CompiledEvent>;
  readonly notices: CompiledEvent | undefined;
  readonly polls: readonly CompiledPoll[];
  readonly markDelivered: BoundStatement | undefined;
  /** Problems in the options that the schema cannot find. */
  readonly problems: readonly OptionProblem[];
}

/** Compiles all statements and mappings, and reports all problems together. Nothing is opened. */
export function compileOptions(options: SqlOptions, dates: DateSettings): CompiledOptions {
  const compiling: Compiling = { dialect: dialects[options.driver], dates, problems: [] };
  const { problems } = compiling;
  const operations = options.operations ?? {};
  const commonRefusals = options.refusals ?? [];
  checkConnection(options, problems);
  checkCommonRefusals(options, problems);

  const queries = given<QueryId, QueryOptions>(queryIds, operations).map(([id, one]) =>
    compileQuery(id, one, compiling),
  );
  const events = given<EventId, EventOptions>(eventIds, operations).map(([id, one]) => {
    const place = { name: id, row: operationRow(id), path: ["operations", id], commonRefusals };
    return [id, compileEvent(one, place, compiling)] as const;
  });
  const derived = given<DerivedEventId, EventOptions>(derivedEventIds, operations).map(([id, one]) => {
    const { body } = derivedEvents[id];
    return [
      id,
      compileEvent(one, { name: id, row: null, body, path: ["operations", id], commonRefusals: [] }, compiling),
    ] as const;
  });
  const notices =
    options.notices &&
    compileEvent(
      options.notices,
      { name: "notices", row: null, body: changeReceiptSchema, path: ["notices"], commonRefusals: [] },
      compiling,
    );
  const isTable = (options.idempotency ?? optionDefaults.idempotency) === "table";
  if (!isTable) {
    for (const [id, event] of [...events, ...derived]) demandEntryId(event, ["operations", id], problems);
    if (notices !== undefined) demandEntryId(notices, ["notices"], problems);
  }
  const insert = insertDelivered(options.deliveredTable ?? optionDefaults.deliveredTable);
  return {
    queries,
    events: new Map<EventId | DerivedEventId, CompiledEvent>([...events, ...derived]),
    notices,
    polls: (options.poll ?? []).map((poll, index) => compilePoll(poll, index, compiling)),
    markDelivered: isTable ? boundStatement(insert, scopeOfNames(["entryId"]), [], compiling) : undefined,
    problems,
  };
}

function given<Id extends string, Options>(
  ids: readonly Id[],
  operations: { readonly [Key in Id]?: Options | undefined },
): (readonly [Id, Options])[] {
  return ids.flatMap((id) => {
    const one = operations[id];
    return one === undefined ? [] : [[id, one] as const];
  });
}

function checkConnection(options: SqlOptions, problems: OptionProblem[]): void {
  try {
    poolSettings(options);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    problems.push({ path: [], text: error.message });
  }
}

function checkCommonRefusals({ refusals = [] }: SqlOptions, problems: OptionProblem[]): void {
  const known = new Set(
    eventIds.map(operationRow).flatMap((row) => row.results.filter((name) => name !== row.success)),
  );
  for (const [index, { result }] of refusals.entries()) {
    if (known.has(result)) continue;
    const text = `no event has the refusal ${result}; ${meantText(result, [...known])}choose from ${[...known].join(", ")}`;
    problems.push({ path: ["refusals", index, "result"], text });
  }
}

function demandEntryId({ statements }: CompiledEvent, path: OptionProblem["path"], problems: OptionProblem[]): void {
  const at = [...path, "statements"];
  const marking = statements.filter(({ statement }) => statement.uses.has("entryId"));
  if (marking.length === 0) {
    const text =
      "with `idempotency: column` one statement must write :entryId, otherwise a retried event is applied twice";
    problems.push({ path: at, text });
    return;
  }
  for (const [index, { statement, each }] of statements.entries()) {
    if (each === undefined || !statement.uses.has("entryId") || statement.uses.has("eachIndex")) continue;
    const text =
      "with `idempotency: column` the second row of a list would be a duplicate of the first: write :eachIndex beside " +
      ":entryId and make the key unique over both columns, or use `idempotency: table`";
    problems.push({ path: [...at, index], text });
  }
  const lists = new Set(statements.map(({ each }) => each?.join(".")));
  if (lists.size > 1 && marking.every(({ each }) => each !== undefined)) {
    const text =
      "with `idempotency: column` a statement without `each` must write :entryId: if the list is empty, nothing " +
      "would record that the event was delivered";
    problems.push({ path: at, text });
  }
}

/** The connection settings, from single options or from a URL; single options override the URL. */
export function poolSettings(options: SqlOptions): PoolSettings {
  const address: Partial<Address> = options.url === undefined ? {} : partsOf(options.url, options.driver);
  const login = {
    user: options.username ?? address.user ?? "",
    password: options.password ?? address.password ?? "",
  };
  const { readUsername, readPassword = "" } = options;
  const settings = {
    host: options.host ?? address.host ?? "",
    port: options.port ?? address.port ?? defaultPorts[options.driver],
    database: options.database ?? address.database ?? "",
    login,
    readLogin: readUsername === undefined ? login : { user: readUsername, password: readPassword },
    tls: tlsOf(options.tls),
    file: options.file ?? "",
    poolSize: options.poolSize ?? optionDefaults.poolSize,
    connectTimeoutMs: options.connectTimeoutMs ?? optionDefaults.connectTimeoutMs,
    statementTimeoutMs: options.statementTimeoutMs ?? optionDefaults.statementTimeoutMs,
  };
  if (options.driver === "sqlite") {
    if (settings.file === "") throw new Fault("invalid", "file: the path of the database file is missing");
  } else if (settings.host === "" || settings.database === "") {
    throw new Fault("invalid", "host and database are missing: set both, or `url`");
  }
  return settings;
}

const schemes: Record<DriverName, readonly string[]> = {
  postgres: ["postgres:", "postgresql:"],
  mysql: ["mysql:", "mariadb:"],
  sqlserver: ["sqlserver:", "mssql:"],
  sqlite: [],
};

interface Address {
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly database: string | undefined;
  readonly user: string | undefined;
  readonly password: string | undefined;
}

function partsOf(text: string, driver: DriverName): Address {
  // The text contains a password: it must never be part of a message.
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !schemes[driver].includes(url.protocol)) {
    const form =
      driver === "sqlite" ? "sqlite needs `file`, not `url`" : `${schemes[driver][0]}//user:password@host/database`;
    throw new Fault("invalid", `url: expected ${form}`);
  }
  if (url.search !== "")
    throw new Fault("invalid", "url: parameters after ? are not supported; use the options, such as tls");
  const given = (part: string) => (part === "" ? undefined : decodedPart(part));
  return {
    host: given(url.hostname.replace(/^\[|\]$/g, "")),
    port: url.port === "" ? undefined : Number(url.port),
    database: given(url.pathname.slice(1)),
    user: given(url.username),
    password: given(url.password),
  };
}

function tlsOf(tls: SqlOptions["tls"]): TlsSettings | false {
  if (tls === undefined || tls === false) return false;
  return tls === true ? { verify: true } : { ...tls, verify: tls.verify ?? true };
}
