import { type Change, isSamePosition } from "../change.ts";
import { appendChange, deploymentState, type Owner } from "./change-log.ts";
import type { ReconnectingClient } from "./reconnecting-client.ts";

/** The first pause before PostgreSQL is asked again; doubled each time. */
const firstPauseMs = 20;
const longestPauseMs = 500;

export type Outcome =
  | "stored"
  /** Not known to be stored; the reason is for people. */
  | { readonly refused: string }
  /** PostgreSQL knows another owner, or has another history: nothing more can be stored. */
  | { readonly lost: string };

export interface StoreChangeNeeds extends Pick<ReconnectingClient, "request"> {
  readonly owner: Owner;
  /** How long PostgreSQL is asked again before the change is refused. */
  readonly patienceMs: number;
  /** Why nothing can be stored any more; looked at before each attempt. */
  readonly lost: () => string | null;
  /** Told when the statement was sent that has just renewed the lease. */
  readonly onRenewed?: (sentAt: number) => void;
}

/**
 * Stores a change, whatever happens to the connection: an attempt whose answer is missing may have been stored, so
 * PostgreSQL is asked for it before the next attempt.
 */
export async function storeChange(needs: StoreChangeNeeds, change: Change): Promise<Outcome> {
  const { owner, request, patienceMs, lost, onRenewed } = needs;
  const until = performance.now() + patienceMs;
  let isDoubtful = false;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const reason = lost();
    if (reason !== null) return { lost: reason };
    try {
      const sentAt = performance.now();
      if (!isDoubtful && (await request((open) => appendChange(open, owner, change)))) {
        onRenewed?.(sentAt);
        return "stored";
      }
      const state = await request((open) => deploymentState(open, owner.deployment));
      if (state.epoch !== owner.epoch) {
        return { lost: `the deployment ${owner.deployment} was taken over by ${state.owner ?? "another process"}` };
      }
      if (isSamePosition(state, change)) return "stored";
      if (state.number !== change.number - 1) {
        return { lost: `PostgreSQL has ${state.number} changes where ${change.number - 1} were expected` };
      }
      isDoubtful = false;
    } catch (error) {
      isDoubtful = true;
      if (performance.now() + pauseMs > until) {
        return { refused: `PostgreSQL did not confirm: ${error instanceof Error ? error.message : error}` };
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
