import { Fault } from "../../sdk/fault.ts";
import type { Access } from "./drivers/database.ts";
import type { SqlProblem } from "./drivers/sql-problem.ts";

const longestText = 500;

/** What the database said, as the fault it is for the call. `doing` says which statement, in words for whoever configures it. */
export function faultOfProblem(problem: SqlProblem, doing: string, access: Access, cause: unknown): Fault {
  const text = problem.text.slice(0, longestText);
  const named = problem.code === "" ? text : `${text} [${problem.code}]`;
  const answer = { text };
  switch (problem.kind) {
    case "unreachable":
      return new Fault("unreachable", `the database was not reached: ${named}`, { cause, answer });
    case "timeout":
      return new Fault("unreachable", `${doing} took too long: ${named}`, { cause, answer });
    case "busy":
      return new Fault("unreachable", `the database could not do ${doing} now: ${named}`, {
        cause,
        answer: { ...answer, isBusy: true },
      });
    case "readOnly":
      // A question runs in a transaction that only reads: there it is the statement that wants to write.
      if (access === "read") return notTaken();
      return new Fault("unreachable", `the database takes no changes now: ${named}`, { cause, answer });
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
    return new Fault("broken", `${doing} is not a statement this database takes: ${named}`, { cause, answer });
  }
}
