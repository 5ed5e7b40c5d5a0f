import type { ClientBase, PoolClient, QueryArrayConfig } from "pg";
import { exactJson, exactNumber } from "../../../kit/json/exact-number.ts";
import {
  type Access,
  type Connection,
  type Login,
  loadDriver,
  type Pool,
  type PoolSettings,
  type RowCollector,
} from "./database.ts";
import { kindOfState, networkProblem, type SqlProblem, textMember, wordsOf } from "./errors/sql-problem.ts";
import { encodedInTurns, LongText } from "./long-text.ts";
import { bindingLongTexts } from "./postgres-bind.ts";

/**
 * All values arrive as text. Types that are not listed stay text, above all dates: only the configuration knows their
 * zone.
 */
const oid = { bool: 16, bytea: 17, int8: 20, int2: 21, int4: 23, json: 114, float4: 700, float8: 701, numeric: 1700 };
const jsonb = 3802;
const textLists = [1009, 1015];
const numberLists = [1005, 1007];

export async function openPostgres(settings: PoolSettings): Promise<Pool> {
  const { default: pg } = await loadDriver("pg", () => import("pg"));
  const parsers = new Map<number, (text: string) => unknown>([
    [oid.bool, (text) => text === "t"],
    ...[oid.int2, oid.int4, oid.int8, oid.float4, oid.float8, oid.numeric].map((id) => [id, exactNumber] as const),
    [oid.json, exactJson],
    [jsonb, exactJson],
    // The library's own parsers for bytes and lists of texts are kept.
    ...[oid.bytea, ...textLists, ...numberLists].map(
      (id) => [id, (text: string): unknown => pg.types.getTypeParser(id)(text)] as const,
    ),
  ]);
  const types = { getTypeParser: (id: number) => parsers.get(id) ?? ((text: string) => text) };

  const poolOf = ({ user, password }: Login) => {
    const pool = new pg.Pool({
      host: settings.host,
      port: settings.port,
      database: settings.database,
      user,
      password,
      ssl: tlsOf(settings),
      max: settings.poolSize,
      connectionTimeoutMillis: settings.connectTimeoutMs,
      keepAlive: true,
      application_name: "crossdock",
    });
    // A lost idle connection is reported here. Without a listener the error would end the process.
    pool.on("error", () => {});
    return pool;
  };
  const write = poolOf(settings.login);
  const read = settings.readLogin === settings.login ? write : poolOf(settings.readLogin);
  const pools = new Set([write, read]);

  return {
    acquire: async (access) => connectionOf(await (access === "read" ? read : write).connect()),
    explain,
    close: async () => {
      await Promise.all([...pools].map((pool) => pool.end()));
    },
  };

  function connectionOf(client: PoolClient): Connection {
    const swallow = () => {};
    // Between two statements nothing else listens, and an error without a listener ends the process.
    client.on("error", swallow);
    return {
      begin: async (access) => {
        await client.query(beginText(access));
      },
      run: async (text, values, rows) => {
        const encoded = [...(await encodedInTurns(values))];
        return runQuery(client, { text, values: encoded, rowMode: "array", types }, rows);
      },
      verify: async (text) => {
        if (!/^\s*(with|select|insert|update|delete|merge|values)\b/i.test(text)) return;
        await client.query(`PREPARE crossdock_verify AS ${text}`);
        // Preparing checks no permissions; planning does, without running the statement.
        const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, position]) => Number(position)));
        const values = Array.from({ length: count }, () => "NULL").join(", ");
        await client.query(`EXPLAIN EXECUTE crossdock_verify${count === 0 ? "" : `(${values})`}`);
        await client.query("DEALLOCATE crossdock_verify");
      },
      commit: async () => {
        await client.query("COMMIT");
      },
      rollback: async () => {
        await client.query("ROLLBACK");
      },
      release: (isBroken) => {
        client.off("error", swallow);
        if (isBroken) client.on("error", swallow);
        client.release(isBroken);
      },
    };
  }

  function beginText(access: Access): string {
    // One snapshot for both statements of a query. SET LOCAL applies only to this transaction, so that a connection
    // pooler can share the connection.
    const begin = access === "read" ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN";
    const idleMs = settings.statementTimeoutMs + 10_000;
    return `${begin}; SET LOCAL statement_timeout = ${settings.statementTimeoutMs}; SET LOCAL idle_in_transaction_session_timeout = ${idleMs}; SET LOCAL datestyle = 'ISO'; SET LOCAL extra_float_digits = 1`;
  }

  function runQuery(client: ClientBase, config: QueryArrayConfig, rows: RowCollector): Promise<number> {
    const query = new pg.Query<unknown[]>(config);
    if (config.values?.some((value) => value instanceof LongText)) {
      const submit = query.submit.bind(query);
      query.submit = (wire) => submit(bindingLongTexts(wire));
    }
    return new Promise((resolve, reject) => {
      let isNamed = false;
      query.on("row", (values, result) => {
        if (rows.isCut) return;
        try {
          if (!isNamed) rows.columns(result?.fields.map(({ name }) => ({ name })) ?? []);
          isNamed = true;
          // Only closing the connection stops a server that is sending; the borrower closes it.
          if (!rows.add(values)) resolve(0);
        } catch (error) {
          rows.isCut = true;
          reject(error);
        }
      });
      query.on("end", ({ rowCount }) => resolve(rowCount ?? 0));
      query.on("error", reject);
      client.query(query);
    });
  }
}

function tlsOf({ tls, host }: PoolSettings) {
  if (tls === false) return false;
  const { verify, serverName, ...files } = tls;
  return { ...files, rejectUnauthorized: verify, servername: serverName ?? host };
}

function explain(error: unknown): SqlProblem {
  const sqlState = error instanceof Error ? textMember(error, "code") : "";
  if (!(error instanceof Error) || !/^[0-9A-Z]{5}$/.test(sqlState)) {
    const text = wordsOf(error);
    return networkProblem(error) ?? { kind: "unreachable", code: "", sqlState: "", constraint: "", text };
  }
  const detail = textMember(error, "detail");
  return {
    kind: kindOfState(sqlState),
    code: sqlState,
    sqlState,
    constraint: textMember(error, "constraint"),
    text: detail === "" ? error.message : `${error.message} (${detail})`,
  };
}
