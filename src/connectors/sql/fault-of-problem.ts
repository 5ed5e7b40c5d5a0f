import { Fault } from "../../sdk/fault.ts";
import type { SqlProblem } from "./drivers/sql-problem.ts";

const longestText = 500;

/** What the database said, as the fault it is for the call. `doing` says which statement, in words for whoever configures it. */
export function faultOfProblem(problem: SqlProblem, doing: string, cause: unknown): Fault {
  const text = problem.text.slice(0, longestText);
  const named = problem.code === "" ? text : `${text} [${problem.code}]`;
  const answer = { text };
  switch (problem.kind) {
    case "unreachable":
      return new Fault("unreachable", `the database was not reached: ${named}`, { cause, answer });
    case "timeout":
      return new Fault("unreachable", `${doing} took too long: ${named}`, { cause, answer });
    case "passing":
      return new Fault("rejected", `${doing} met another transaction: ${named}`, {
        cause,
        answer: { ...answer, isPassing: true },
      });
    case "statement":
      return new Fault("broken", `${doing} is not a statement this database takes: ${named}`, { cause, answer });
    case "raised":
    case "duplicate":
    case "constraint":
    case "data":
    case "unfit":
    case "unknown":
      return new Fault("rejected", `${doing} was refused: ${named}`, { cause, answer, operatorText: text });
  }
}
