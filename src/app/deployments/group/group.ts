import type { IncomingMessage } from "node:http";
import type { Config } from "../../../config/config-schema.ts";
import type { DeploymentOptions } from "../../../config/sections/deployment-options.ts";
import type { Environment, Settings } from "../../../config/settings.ts";
import type { Log } from "../../../kit/log.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import type { ReloadReport } from "../../../runtime/reload.ts";
import type { BodyBudget } from "../../../server/connection/body-budget.ts";
import type { Telemetry } from "../../telemetry/open-telemetry.ts";
import type { Gate, GateState } from "../gate/open-gate.ts";
import type { MissingHandler } from "../missing/pass-on-missing.ts";
import type { MissingWatch } from "../missing/watch-missing.ts";

export interface DeploymentsOptions {
  readonly config: Config & { readonly deployments: DeploymentOptions };
  readonly settings: Settings & { readonly apiKey: string };
  /** The configuration file of the process. */
  readonly source: string;
  readonly env: Environment;
  readonly cwd: string;
  readonly log: Log;
  readonly clock?: Clock;
  readonly timers?: Timers;
  readonly program?: string | undefined;
  /** A PostgreSQL for all deployments; absent: the data folder. */
  readonly store?: string | undefined;
}

/** A deployment as it is shown to people. */
export interface DeploymentView {
  readonly name: string;
  readonly state: GateState;
  /** Whether this process owns the deployment; null while it is closed. */
  readonly isOwner: boolean | null;
  /** Whether a person chose the process that owns it, so that the weights do not count. */
  readonly isMovedByHand: boolean;
  readonly basePath: string;
  /** Null: reached under every host name that no other deployment has. */
  readonly hosts: readonly string[] | null;
  readonly running: number;
  readonly waiting: number;
  /** Why the deployment could not be opened the last time; null if it could. */
  readonly failure: string | null;
}

/** A deployment of the process, open or not. */
export interface Member extends Gate {
  readonly name: string;
  readonly basePath: string;
  readonly hosts?: readonly string[] | undefined;
}

/** What became of a person's wish that this process owns a deployment. */
export type TakeOver =
  | { readonly isOwner: true; readonly wasOwner: boolean }
  /** Nothing was changed, and why, with the status of an HTTP answer. */
  | { readonly isOwner: false; readonly status: 404 | 409 | 503; readonly reason: string };

export interface Group {
  readonly find: (request: IncomingMessage) => Member | null;
  readonly members: () => Iterable<Member>;
  readonly view: () => readonly DeploymentView[];
  /** Opens the deployments that have something to do without a request. Call this when the process listens. */
  readonly begin: () => void;
  readonly reload: (options: DeploymentOptions) => Promise<ReloadReport>;
  /** What only other processes have a configuration of; null without a PostgreSQL. */
  readonly missing: () => (Pick<MissingWatch, "served"> & Pick<MissingHandler, "handle">) | null;
  /** Why PostgreSQL cannot be used now, so that nothing that is asleep can be opened; null if it can, and without one. */
  readonly storeTrouble: () => string | null;
  /** Makes this process the owner of a deployment that another process owns. */
  readonly takeOver: (name: string) => Promise<TakeOver>;
  /**
   * Hands over to the other processes, if there are any. Call this before `close`, while the process still listens.
   */
  readonly leave: () => Promise<void>;
  /** A second call waits for the first. */
  readonly close: () => Promise<void>;
}

export interface GroupNeeds extends DeploymentsOptions {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly common: BodyBudget;
  /** The telemetry that all deployments share; absent: nothing is sent to a collector. */
  readonly telemetry?: Telemetry | undefined;
  /** The log without levels, because each deployment has its own levels. */
  readonly allLines: Log;
  readonly url: () => string;
}
