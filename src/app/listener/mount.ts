import type { RequestListener } from "node:http";
import type { Metric } from "../../engine/metrics/exposition.ts";
import type { BodyBudget } from "../../server/connection/body-budget.ts";
import type { InputReader } from "../../server/contract/read-input.ts";

/**
 * A place under a listener that outlives the adapter: that of a process with several deployments, or of one whose role
 * changes. An adapter with a mount does not listen itself.
 */
export interface Mount {
  /** The name of the deployment, shown in its metrics; absent: the process has no other. */
  readonly name?: string | undefined;
  /** The adapter's share of the memory for bodies; absent: nobody else uses it. */
  readonly bodies?: BodyBudget | undefined;
  /** Reads the requests of all deployments of the process, so that its checks are compiled once; absent: nobody else has one. */
  readonly reader?: InputReader | undefined;
  /** How long a request waits at least for an owner, even if its time budget is shorter. */
  readonly waitMs: number;
  /** The file of the listener's certificate, by which other processes recognise it; absent without TLS. */
  readonly certificate?: string | undefined;
  /** Settles when the process listens, with the address of the deployment and its base path. */
  readonly listening: () => Promise<string>;
  /** Called with the handler when requests can be served. */
  readonly serve: (handle: RequestListener) => void;
  /** Called when an adapter no longer serves, with its handler, which another one may have replaced before. */
  readonly leave: (handle: RequestListener) => void;
  /** Called when everything is open. */
  readonly opened: (adapter: MountedAdapter) => void;
}

/** What the process needs from an adapter that it serves. */
export interface MountedAdapter {
  /** Whether nothing would happen without a request: nothing waits, no source polls, and nobody has to be alerted. */
  readonly isIdle: () => boolean;
  /** The adapter's metrics, without those of the process. */
  readonly metrics: () => readonly Metric[];
}
