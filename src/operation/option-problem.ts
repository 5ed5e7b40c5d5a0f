/** A mistake in a connector's options that its schema cannot express. */
export interface OptionProblem {
  /** The place in the options: `operations.getItem.map.name`, or its steps as a list. */
  readonly path: string | readonly (string | number)[];
  readonly text: string;
  readonly hint?: string;
}
