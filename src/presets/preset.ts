/** Ready-made options of a connector for a known external system. */
export interface Preset {
  readonly name: string;
  /** The common name of the external system. */
  readonly title: string;
  readonly summary: string;
  /** Type of the connector the options are for. */
  readonly type: "http";
  /** Options that the configuration must provide: path of the option, and its meaning. */
  readonly queries: readonly {
    readonly option: string;
    readonly description: string;
    /** For a secret: the environment variable it is usually kept in. */
    readonly example: string | number;
    readonly isSecret?: true;
  }[];
  /** A test checks them against the connector's own schema. */
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * The total picked amount of a line after a step is confirmed. It is absolute, so that an event that arrives twice
 * changes nothing the second time. The summary has a different name in steps with a cart.
 */
export const pickedAmount = (summary: "amountToConfirmPickingSummary" | "amountToConfirmSummary"): string =>
  "= requestAmountInBaseUnitOfMeasure - requestRemainingAmountInBaseUnitOfMeasure + " +
  `$sum(${summary}.containersBreakdown.amountToConfirmInBaseUnitOfMeasure)`;
