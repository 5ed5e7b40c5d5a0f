import type { ProblemDetails } from "../schemas/problem.ts";

const shownLength = 200;

/** The adapter, or something before it, did not answer as the contract says. */
export class ClientError extends Error {
  readonly status: number;
  /** What the adapter said is wrong, where it did. */
  readonly problem: ProblemDetails | null;

  constructor(call: string, status: number, body: string) {
    const problem = problemIn(body);
    super(
      `${call} was answered with HTTP ${status}: ${problem?.detail ?? problem?.title ?? body.slice(0, shownLength)}`,
    );
    this.name = "ClientError";
    this.status = status;
    this.problem = problem;
  }
}

function problemIn(body: string): ProblemDetails | null {
  try {
    const value: unknown = JSON.parse(body);
    const isProblem = typeof value === "object" && value !== null && "title" in value && "status" in value;
    // Title and status are the only members that other rooms rely on.
    return isProblem ? (value as ProblemDetails) : null;
  } catch {
    return null;
  }
}
