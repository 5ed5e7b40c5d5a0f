import { Fault } from "../../operation/fault.ts";
import type { Access } from "./drivers/database.ts";
import type { SqlProblem } from "./drivers/errors/sql-problem.ts";

const longestText = 500;

/** Codes of a refused login: PostgreSQL, MySQL and MariaDB, SQL Server. */
const loginCodes = new Set([
  ...["28000", "28P01", "1044", "1045", "1698", "1820", "1862", "3118", "4151", "4060", "18452", "18456", "18470"],
  ...["18486", "18487", "18488"],
]);
/** Codes of a missing right. */
const rightCodes = new Set(["42501", "1142", "1143", "1227", "1370", "229", "230", "262", "297"]);

/** Converts a database error to a fault. `doing` names the statement, in words for the person who configures it. */
export function faultOfProblem(
  problem: SqlProblem,
  doing: string,
  { access, role }: { readonly access: Access; readonly role: string },
  cause: unknown,
): Fault {
  const text = problem.text.slice(0, longestText);
  const named = problem.code === "" ? text : `${text} [${problem.code}]`;
  const answer = { text };
  switch (problem.kind) {
    case "unreachable":
      // Handled like an unreachable database: events wait until a person corrects the role or its password, and none is
      // lost.
      if (loginCodes.has(problem.code)) {
        const wanted = `check ${access === "read" ? "`username` or `readUsername`" : "`username`"}, its password, and that it may connect to this database`;
        return new Fault("unreachable", `the database refused the login of the role ${role}: ${named}; ${wanted}`, {
          ...{ cause, answer },
        });
      }
      return new Fault("unreachable", `the database could not be reached: ${named}`, { cause, answer });
    case "timeout":
      return new Fault("unreachable", `${doing} took too long: ${named}`, { cause, answer });
    case "busy":
      return new Fault("unreachable", `the database could not run ${doing} at the moment: ${named}`, {
        cause,
        answer: { ...answer, isBusy: true },
      });
    case "readOnly":
      // A query runs in a read-only transaction: there the statement itself tries to write, which is a mistake.
      if (access === "read") return notTaken();
      return new Fault("unreachable", `the database is read-only at the moment: ${named}`, { cause, answer });
    case "statement":
      return notTaken();
    case "raised":
    case "duplicate":
    case "constraint":
    case "data":
    case "unfit":
    case "unknown":
      return new Fault("rejected", `${doing} was refused: ${named}`, { cause, answer, operatorText: text });
  }

  function notTaken(): Fault {
    if (rightCodes.has(problem.code)) {
      const right = access === "read" ? "SELECT" : "INSERT, UPDATE or EXECUTE";
      const text = `the role ${role} lacks a right for ${doing}: ${named}; grant it (${right}) on the object named there`;
      return new Fault("broken", text, { cause, answer });
    }
    return new Fault("broken", `${doing} is not a valid statement for this database: ${named}`, { cause, answer });
  }
}
