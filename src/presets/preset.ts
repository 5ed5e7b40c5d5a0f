/** Ready options of a connector for a known external system. */
export interface Preset {
  readonly name: string;
  /** The external system, as people call it. */
  readonly title: string;
  readonly summary: string;
  /** Type of the connector the options are for. */
  readonly type: "http";
  /** What has to be given besides: path of the option, and what it is. */
  readonly queries: readonly {
    readonly option: string;
    readonly description: string;
    /** Of a secret: the environment variable it is usually kept in. */
    readonly example: string | number;
    readonly isSecret?: true;
  }[];
  /** Checked against the connector's own schema by a test. */
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * How much of a line is picked in all once a step is confirmed: absolute, so that an event that arrives twice changes
 * nothing the second time. The summary has another name in steps with a cart.
 */
export const pickedAmount = (summary: "amountToConfirmPickingSummary" | "amountToConfirmSummary"): string =>
  "= requestAmountInBaseUnitOfMeasure - requestRemainingAmountInBaseUnitOfMeasure + " +
  `$sum(${summary}.containersBreakdown.amountToConfirmInBaseUnitOfMeasure)`;
