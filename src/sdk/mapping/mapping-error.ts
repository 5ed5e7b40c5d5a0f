/** One mistake in the rules themselves. */
export interface RuleProblem {
  /** Path of the rule inside the mapping: `requests.map.requestedAmount.round`. */
  readonly path: string;
  readonly text: string;
  /** Inside the expression, both counted from 1. */
  readonly position?: { readonly line: number; readonly column: number };
}

/** Thrown with everything that is wrong in a mapping at once. */
export class MappingError extends Error {
  readonly problems: readonly RuleProblem[];

  constructor(problems: readonly RuleProblem[]) {
    super(problems.map(ruleProblemText).join("\n"));
    this.name = "MappingError";
    this.problems = problems;
  }
}

/** In one line: where, and what. */
export function ruleProblemText({ path, text, position }: RuleProblem): string {
  const place = position === undefined ? "" : ` (line ${position.line}, column ${position.column})`;
  return `${path === "" ? "mapping" : path}${place}: ${text}`;
}
