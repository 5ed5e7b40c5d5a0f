import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../kit/time/clock.ts";
import type { AccessSettings, AdminKeys, KeyHolder, Role } from "../auth/admin-access.ts";

/** A signed-in person. */
export interface Session {
  /** The name for the audit log. */
  readonly name: string;
  readonly role: Role;
  /** Sent with every changing request. Another web page cannot read it. */
  readonly csrfToken: string;
  /** When the session ends. It ends earlier, at `idleEndsAt`, if it is not used. */
  readonly endsAt: number;
  readonly idleEndsAt: number;
}

export interface Sessions {
  /** Opens a session. The token goes to the browser and is not kept here. */
  readonly open: (holder: KeyHolder, name: string) => { readonly token: string; readonly session: Session };
  /** Returns the session of a token and counts it as used now; null if there is none or it has ended. */
  readonly use: (token: string) => Session | null;
  /** Returns the session without prolonging it: a page that only listens is not in use. */
  readonly find: (token: string) => Session | null;
  readonly close: (token: string) => void;
}

export interface SessionNeeds {
  readonly keys: Pick<AdminKeys, "current">;
  readonly settings: () => Pick<AccessSettings, "idleMinutes" | "sessionHours">;
  readonly clock: Clock;
  readonly random?: (bytes: number) => Buffer;
}

interface Kept {
  readonly holder: KeyHolder;
  readonly name: string;
  readonly csrfToken: string;
  readonly openedAt: number;
  usedAt: number;
}

const mostSessions = 1_000;

/**
 * Sessions are kept in memory, so a restart ends them all. Only a hash of each token is kept, so that a memory dump
 * gives no access.
 */
export function openSessions({ keys, settings, clock, random = randomBytes }: SessionNeeds): Sessions {
  const kept = new Map<string, Kept>();

  const found = (token: string): Session | null => {
    const id = idOf(token);
    const one = kept.get(id);
    if (one === undefined) return null;
    const { idleMinutes, sessionHours } = settings();
    const endsAt = one.openedAt + sessionHours * 3_600_000;
    const idleEndsAt = Math.min(endsAt, one.usedAt + idleMinutes * 60_000);
    const holder = keys.current(one.holder);
    const now = clock.now();
    // A clock that was set back must not prolong a session.
    if (holder === null || now >= idleEndsAt || now < one.openedAt) {
      kept.delete(id);
      return null;
    }
    return { name: one.name, role: holder.role, csrfToken: one.csrfToken, endsAt, idleEndsAt };
  };

  return {
    open: (holder, name) => {
      const token = random(32).toString("base64url");
      const now = clock.now();
      kept.set(idOf(token), {
        ...{ holder, name, openedAt: now, usedAt: now },
        csrfToken: random(24).toString("base64url"),
      });
      // Drops the session that was opened first: the map keeps that order.
      if (kept.size > mostSessions) kept.delete(kept.keys().next().value ?? "");
      const session = found(token);
      if (session === null) throw new Error("the key was removed while its holder signed in");
      return { token, session };
    },
    use: (token) => {
      const session = found(token);
      const one = kept.get(idOf(token));
      if (session !== null && one !== undefined) one.usedAt = clock.now();
      return session;
    },
    find: found,
    close: (token) => {
      kept.delete(idOf(token));
    },
  };
}

const idOf = (token: string): string => createHash("sha256").update(token).digest("base64url");
