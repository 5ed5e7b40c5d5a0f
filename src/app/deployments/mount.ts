import type { RequestListener } from "node:http";
import type { Metric } from "../../engine/metrics/metrics.ts";
import type { BodyBudget } from "../../server/connection/body-budget.ts";

/** A place under a listener that serves several adapters; an adapter with one does not listen itself. */
export interface Mount {
  /** The name of the deployment, shown in its metrics. */
  readonly name: string;
  /** The address under which it is reached, with its base path. */
  readonly url: string;
  /** Its share of the memory for bodies. */
  readonly bodies: BodyBudget;
  /** How long a request waits at least for an owner, even if its time budget is shorter. */
  readonly waitMs: number;
  /** Called when requests can be served, and with null when that is over. */
  readonly serve: (handle: RequestListener | null) => void;
  /** Called when everything is open. */
  readonly opened: (adapter: MountedAdapter) => void;
}

/** What the process needs to know of an adapter it serves. */
export interface MountedAdapter {
  /** Whether nothing would happen without a request: nothing waits, no source brings anything, nobody is to be alarmed. */
  readonly isIdle: () => boolean;
  /** Its metrics, without those of the process. */
  readonly metrics: () => readonly Metric[];
}
