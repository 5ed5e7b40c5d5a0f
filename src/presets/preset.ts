/** Ready-made options of a connector for a known external system. */
export interface Preset {
  readonly name: string;
  /** The common name of the external system. */
  readonly title: string;
  readonly summary: string;
  /** Type of the connector the options are for. */
  readonly type: "http";
  /** Options that the configuration must provide: path of the option, and its meaning. */
  readonly requiredOptions: readonly {
    readonly option: string;
    readonly description: string;
    /** For a secret: the environment variable that usually contains it. */
    readonly example: string | number;
    readonly isSecret?: true;
  }[];
  /** The options. A test checks them against the connector's own schema. */
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * The total picked amount of a line after a confirmed step, in the unit of the ERP's own line. The step's amounts are
 * in the platform's base unit, so 7 m would be booked as 7,000. The total is absolute, so that an event that arrives
 * twice changes nothing the second time. If the unit is not certain, nothing is sent, and an operator decides.
 */
export const pickedAmount = { from: "line.pickedAmount", required: true } as const;

/** The member with the picked amounts. It has another name in steps with a cart. */
export type PickingSummary = "amountToConfirmPickingSummary" | "amountToConfirmSummary";
