import { type ErrorTable, kindFinder } from "./error-table.ts";
import type { SqlProblem } from "./sql-problem.ts";

/** Classes of the SQL standard and of PostgreSQL, by their first two letters: appendix A of its documentation. */
export const stateClasses: ErrorTable = {
  unreachable: {
    "08": "connection exception",
    "28": "invalid authorization specification",
    "3D": "invalid catalog name",
    "53": "insufficient resources: disk full, out of memory, too many connections",
    "57": "operator intervention: shutdown, crash, cannot connect now",
    "58": "system error outside of the database: read or write failed",
    F0: "configuration file error",
  },
  busy: {
    "40": "transaction rollback: serialization failure, deadlock",
    "55": "object not in prerequisite state: in use, lock not given",
    "72": "snapshot failure",
    XX: "internal error: also damaged data",
  },
  statement: {
    "07": "dynamic SQL error",
    "0A": "feature not supported",
    "24": "invalid cursor state",
    "25": "invalid transaction state",
    "26": "invalid SQL statement name",
    "34": "invalid cursor name",
    "3F": "invalid schema name",
    "42": "syntax error or access rule violation",
    HV: "foreign data wrapper error",
  },
  data: {
    "21": "cardinality violation",
    "22": "data exception",
    "54": "program limit exceeded: a row or key too large",
  },
  constraint: { "23": "integrity constraint violation", "27": "triggered data change", "44": "WITH CHECK OPTION" },
  raised: { "45": "unhandled user-defined exception", P0: "PL/pgSQL error" },
};

/** States that mean something else than their class. */
export const states: ErrorTable = {
  unreachable: {
    "25P03": "idle_in_transaction_session_timeout",
    "25P04": "transaction_timeout",
    "40003": "statement_completion_unknown",
    "70100": "query was killed",
    HV00N: "fdw_unable_to_establish_connection",
  },
  readOnly: { "25006": "read_only_sql_transaction" },
  timeout: { "57014": "query_canceled" },
  duplicate: { "23505": "unique_violation" },
  constraint: { "40002": "transaction_integrity_constraint_violation" },
  unfit: {
    "22003": "numeric_value_out_of_range",
    "22021": "character_not_in_repertoire",
    "22P02": "invalid_text_representation",
    "22P05": "untranslatable_character",
  },
  statement: { "55P02": "cant_change_runtime_param", "55P04": "unsafe_new_enum_value_usage" },
};

const ofState = kindFinder(states);
const ofClass = kindFinder(stateClasses);

/** By the five letters that the SQL standard gives to errors. */
export const kindOfState = (sqlState: string): SqlProblem["kind"] =>
  ofState(sqlState) ?? ofClass(sqlState.slice(0, 2)) ?? "unknown";
