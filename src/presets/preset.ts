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
 * The total picked amount of a line after a step is confirmed, in the unit of the ERP's own line: the step's amounts are in the
 * platform's base unit, and 7 m would be booked as 7,000. It is absolute, so that an event that arrives twice changes nothing
 * the second time. Where the unit is not certain nothing is sent, and an operator decides.
 */
export const pickedAmount = { from: "line.pickedAmount", required: true } as const;

/** The member with the picked amounts; it has another name in steps with a cart. */
export type PickingSummary = "amountToConfirmPickingSummary" | "amountToConfirmSummary";
