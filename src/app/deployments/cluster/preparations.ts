import type { OwnerRoles } from "../../replicated/start-replicated.ts";

/** A deployment that this process follows. */
export interface FollowedDeployment {
  readonly name: string;
  readonly roles: Pick<OwnerRoles, "role" | "isCaughtUp" | "prepare" | "discard">;
}

export interface Preparations {
  /** Prepares deployments that this process should take over soon, and ends preparations that are no longer needed. */
  readonly look: (followed: readonly FollowedDeployment[]) => void;
  /** Whether the owner may hand this deployment over; false some time before its preparation ends. */
  readonly isOffered: (name: string) => boolean;
  readonly isAnything: () => boolean;
}

export interface PreparationNeeds {
  /** Whether this process should take the deployment over. */
  readonly isDue: (name: string) => boolean;
  /** Monotonic milliseconds. */
  readonly passed: () => number;
}

/** An owner hands over one deployment after the other, so more would only be ready for longer before their turn. */
const mostAtOnce = 4;
/** An owner that does not hand over in this time does not know of it, or has other worries. */
const patienceMs = 30_000;
/** Longer than an owner may act on an earlier report. Ended at once, threads would be missing when it hands over. */
const withdrawMs = 5_000;
/** How long other deployments go first after that. */
const restMs = 60_000;

/** Decides which deployments are prepared for a planned move. The owner hands over only what is prepared. */
export function preparations({ isDue, passed }: PreparationNeeds): Preparations {
  const since = new Map<string, number>();
  const restUntil = new Map<string, number>();
  return {
    look: (followed) => {
      const byName = new Map(followed.map((one) => [one.name, one]));
      for (const [name, begunAt] of since) {
        const one = byName.get(name);
        const isOwner = one?.roles.role() === "owner";
        const isLate = passed() - begunAt > patienceMs + withdrawMs;
        if (one !== undefined && !isOwner && isDue(name) && !isLate) continue;
        since.delete(name);
        if (isOwner) continue;
        if (isLate) restUntil.set(name, passed() + restMs);
        one?.roles.discard();
      }
      for (const { name, roles } of followed) {
        if (since.size >= mostAtOnce) return;
        if (since.has(name) || (restUntil.get(name) ?? 0) > passed()) continue;
        if (roles.role() === "owner" || !roles.isCaughtUp() || !isDue(name)) continue;
        restUntil.delete(name);
        since.set(name, passed());
        roles.prepare();
      }
    },
    isOffered: (name) => passed() - (since.get(name) ?? Number.NEGATIVE_INFINITY) <= patienceMs,
    isAnything: () => since.size > 0,
  };
}
