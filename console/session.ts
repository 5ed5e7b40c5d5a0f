import { signal } from "@preact/signals";
import type { Role } from "../src/server/auth/admin-access.ts";
import { routeUrl } from "./address.ts";
import { dropDrafts, setOwnerOfDrafts } from "./drafts.ts";

export interface SignedIn {
  readonly name: string;
  readonly role: Role;
  readonly csrfToken: string;
  readonly timeZone: string;
  /** When the session ends at the latest. */
  readonly endsAt: string;
  /** Address of a trace in the tracing UI of this site; absent if none is configured. */
  readonly traceUrl?: string;
}

/** Undefined until the adapter has answered; null if nobody is signed in. */
export const session = signal<SignedIn | null | undefined>(undefined);
/** When a session ends, pages stay as they are, so that nothing typed is lost. */
export const wasSignedIn = signal(false);

/** When the page has noticed that the session has ended. */
export const endedAt = signal<number | null>(null);

export function setSession(found: SignedIn | null): void {
  endedAt.value = found === null ? (endedAt.value ?? Date.now()) : null;
  session.value = found;
  if (found === null) return;
  setOwnerOfDrafts(`${found.name} ${found.role}`);
  wasSignedIn.value = true;
  role.value = found.role;
}

/** The last one: if forms disappeared when a session ends, what was typed into them would be lost. */
const role = signal<Role>("viewer");

export const may = (needed: "operator" | "admin"): boolean =>
  role.value === "admin" || (role.value === "operator" && needed === "operator");

export async function resumeSession(): Promise<void> {
  const answer = await fetch(routeUrl("admin/session")).catch(() => null);
  setSession(answer?.ok === true ? await answer.json() : null);
}

/** Checks whether the session is still valid. If the adapter does not answer, the session is kept. */
export async function checkSession(): Promise<void> {
  const answer = await fetch(routeUrl("admin/session")).catch(() => null);
  if (answer?.status === 401) setSession(null);
}

/** Returns null if it worked, otherwise the adapter's text. */
export async function signIn(
  key: string,
  name: string,
): Promise<{ readonly status: number; readonly text: string } | null> {
  const answer = await fetch(routeUrl("admin/session"), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ key, name }),
  }).catch(() => null);
  if (answer === null) return { status: 0, text: "" };
  const body = await answer.json();
  if (!answer.ok) return { status: answer.status, text: body.errors?.name?.[0] ?? body.detail ?? "" };
  setSession(body);
  notifyOtherTabs();
  return null;
}

/** All tabs share one cookie: whoever signs in again in one of them has done so in all, also if it is somebody else. */
const tabs = new BroadcastChannel("crossdock sessions");
export const notifyOtherTabs = (): void => tabs.postMessage("signed in");
tabs.addEventListener("message", () => {
  if (wasSignedIn.value) void resumeSession();
});

/** Returns false if the adapter did not end the session: whoever uses this browser next would still be signed in. */
export async function signOut(): Promise<boolean> {
  const headers = { "x-csrf-token": session.value?.csrfToken ?? "" };
  const answer = await fetch(routeUrl("admin/session"), { method: "DELETE", headers }).catch(() => null);
  // Without a session, there is nothing to end.
  if (answer?.ok !== true && answer?.status !== 401) return false;
  dropDrafts();
  // Loads a new page, so that nothing that was shown stays in memory.
  location.assign(routeUrl("console"));
  return true;
}
