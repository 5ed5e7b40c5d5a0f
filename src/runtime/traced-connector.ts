import { traceHeadersOf } from "../kit/tracing/trace-context.ts";
import { type Span, type SpanAttributes, type SpanKind, type Tracing, traced } from "../kit/tracing/tracing.ts";
import type { CallContext, OpenConnector } from "../sdk/connector.ts";

/** Names of databases by the conventions of OpenTelemetry. */
const databases: Readonly<Record<string, string>> = {
  postgres: "postgresql",
  mysql: "mysql",
  sqlserver: "microsoft.sql_server",
  sqlite: "sqlite",
};
/** Connectors whose requests are traced one by one. */
const byRequest = new Set(["http", "webhook"]);

interface Named {
  readonly name: string;
  readonly type: string;
  readonly options: Readonly<Record<string, unknown>>;
}

type AnyOperate = (input: unknown, context: CallContext) => unknown;

/** A proxy instead of a copy, because the context creates some members only when they are read. */
function tracedContext(context: CallContext, span: Span | undefined): CallContext {
  if (span === undefined) return context;
  const trace = traceHeadersOf(span);
  return new Proxy(context, { get: (target, key) => (key === "trace" ? trace : Reflect.get(target, key)) });
}

/** Returns the connector with its calls traced; without tracing, the connector itself. */
export function tracedConnector(
  connector: OpenConnector,
  { name, type, options }: Named,
  tracing: Tracing | undefined,
): OpenConnector {
  if (tracing === undefined || byRequest.has(type)) return connector;
  const database = databases[String(options["driver"])];
  const kind: SpanKind = type === "sql" ? "client" : "internal";
  const fixedFor = (operation: string): SpanAttributes => ({
    "crossdock.connector": name,
    "crossdock.connector.type": type,
    "crossdock.operation": operation,
    ...(type === "sql" && database !== undefined ? { "db.system.name": database } : {}),
  });
  const wrapped = (operation: string, operate: AnyOperate): AnyOperate => {
    const span = { name: `${type} ${operation}`, kind, fixed: fixedFor(operation) };
    return (input, context) =>
      tracing.current() === undefined
        ? operate(input, context)
        : traced(tracing, span, (own) => operate(input, tracedContext(context, own)));
  };
  const all = <Table extends object>(table: Table): Table =>
    // Each operation keeps its own input and outcome; a table of all of them cannot express that.
    Object.fromEntries(Object.entries(table).map(([id, operate]) => [id, wrapped(id, operate as AnyOperate)])) as Table;
  const { notices } = connector;
  const notice = { name: `${type} notice`, kind, fixed: fixedFor("notice") };
  const own = {
    operations: all(connector.operations),
    ...(connector.derived === undefined ? {} : { derived: all(connector.derived) }),
    ...(notices === undefined
      ? {}
      : {
          notices: (...[topic, payload, context]: Parameters<typeof notices>) =>
            traced(tracing, notice, (own) => notices.call(connector, topic, payload, tracedContext(context, own))),
        }),
  };
  // A proxy instead of a copy: a connector may be an instance of a class, with members that a copy would lack.
  return new Proxy(connector, {
    get: (target, key) => {
      if (Object.hasOwn(own, key)) return Reflect.get(own, key);
      const member: unknown = Reflect.get(target, key);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
