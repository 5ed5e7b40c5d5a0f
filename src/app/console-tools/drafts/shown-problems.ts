import type { ConfigProblem } from "../../../config/document/config-error.ts";
import type { FoundProblem } from "../../../server/workshop/config-editor.ts";

/** A person corrects a few and tries again. A file with thousands of mistakes would make an answer of megabytes. */
const mostProblems = 100;

export const shownProblems = (problems: readonly ConfigProblem[]): FoundProblem[] => {
  const shown = problems.slice(0, mostProblems).map(shownProblem);
  const left = problems.length - shown.length;
  return left === 0 ? shown : [...shown, { text: `there are ${left} more problems` }];
};

const shownProblem = ({ line, column, text, message, hint }: ConfigProblem): FoundProblem => ({
  ...(line === undefined ? {} : { line }),
  ...(column === undefined ? {} : { column }),
  text,
  ...(message === undefined ? {} : { message }),
  ...(hint === undefined ? {} : { hint }),
});
