import { errorCode } from "../../kit/narrow.ts";
import { type Change, isSamePosition } from "../change.ts";
import { appendChange } from "./append-change.ts";
import { deploymentState, type Owner } from "./change-log.ts";
import type { ReconnectingClient } from "./connection/reconnecting-client.ts";

/** The first pause before a retry; doubled each time. */
const firstPauseMs = 20;
const longestPauseMs = 500;

/** PostgreSQL's error codes when its disk or memory is full, or it must not be written. */
export const noRoom: ReadonlySet<unknown> = new Set(["53100", "53200", "42501"]);

export type Outcome =
  | "stored"
  /** The change is not stored, or may not be; the reason is for people. */
  | { readonly refused: string; readonly isDoubtful: boolean }
  /** PostgreSQL has another owner or another history: nothing more can be stored. */
  | { readonly lost: string; readonly isDoubtful: boolean };

export interface StoreChangeNeeds extends Pick<ReconnectingClient, "request"> {
  readonly owner: Owner;
  /** How long the change is retried before it is refused. */
  readonly patienceMs: number;
  /** Returns why nothing can be stored any more; called before each attempt. */
  readonly lost: () => string | null;
  /** Called after the lease was renewed, with the time when the statement was sent. */
  readonly onRenewed?: (sentAt: number) => void;
  /** Whether the change was sent before, without an answer. */
  readonly isUnknown?: boolean;
}

/**
 * Stores a change, whatever happens to the connection. An attempt without an answer may have been stored, so PostgreSQL
 * is asked for the change before the next attempt.
 */
export async function storeChange(needs: StoreChangeNeeds, change: Change): Promise<Outcome> {
  const { owner, request, patienceMs, lost, onRenewed } = needs;
  const until = performance.now() + patienceMs;
  /** Whether PostgreSQL has to be asked for the change before it is sent again. */
  let isUnknown = needs.isUnknown === true;
  /** Stays: an attempt whose connection broke may still be running there when PostgreSQL is asked. */
  let isDoubtful = isUnknown;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const reason = lost();
    if (reason !== null) return { lost: reason, isDoubtful };
    const sent: { at: number | null } = { at: null };
    try {
      const isStored =
        !isUnknown &&
        (await request(async (open) => {
          // It may have waited for a connection until the deployment was lost.
          if (lost() !== null) return null;
          sent.at = performance.now();
          return await appendChange(open, owner, change);
        }));
      if (isStored === null) continue;
      if (isStored) {
        if (sent.at !== null) onRenewed?.(sent.at);
        return "stored";
      }
      const state = await request((open) => deploymentState(open, owner.deployment));
      if (state.epoch !== owner.epoch) {
        const by = state.owner ?? "another process";
        return { lost: `the deployment ${owner.deployment} was taken over by ${by}`, isDoubtful };
      }
      if (isSamePosition(state, change)) return "stored";
      if (state.number !== change.number - 1) {
        return { lost: `PostgreSQL has ${state.number} changes where ${change.number - 1} were expected`, isDoubtful };
      }
      isUnknown = false;
    } catch (error) {
      // Nothing was stored, and the next attempt would fail too. A retry would only keep callers waiting and delay the
      // renewal of the lease.
      if (noRoom.has(errorCode(error))) {
        return { refused: `PostgreSQL stores nothing: ${describe(error)}`, isDoubtful };
      }
      // Without a connection, nothing was sent.
      if (sent.at !== null) {
        isUnknown = true;
        isDoubtful = true;
      }
      if (performance.now() + pauseMs > until) {
        return { refused: `PostgreSQL did not confirm: ${describe(error)}`, isDoubtful };
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
