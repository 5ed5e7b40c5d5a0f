import type { Submittable } from "pg";

/** What the driver calls of a statement that it was given. */
interface PlayedStatement extends Submittable {
  readonly handleCommandComplete: (message: { readonly text: string }) => void;
  readonly handleReadyForQuery: () => void;
  readonly handleError: (error: unknown) => void;
}

export const isStatement = (given: object): given is PlayedStatement => "submit" in given;

/** Plays the driver: the statement ends with this number of inserted rows, or with this error. */
export function playStatement(statement: PlayedStatement, answer: Promise<{ readonly rowCount: number }>): void {
  answer.then(
    ({ rowCount }) => {
      statement.handleCommandComplete({ text: `INSERT 0 ${rowCount}` });
      statement.handleReadyForQuery();
    },
    (error) => statement.handleError(error),
  );
}
