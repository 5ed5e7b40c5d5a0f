import { signal } from "@preact/signals";
import type { Role } from "../src/server/auth/admin-access.ts";
import { routeUrl } from "./address.ts";

export interface SignedIn {
  readonly name: string;
  readonly role: Role;
  readonly csrfToken: string;
  readonly timeZone: string;
}

/** Undefined until the adapter was asked; null if nobody is signed in. */
export const session = signal<SignedIn | null | undefined>(undefined);
/** Pages stay as they are when a session ends, so that nothing typed is lost. */
export const wasSignedIn = signal(false);

export function setSession(found: SignedIn | null): void {
  session.value = found;
  if (found !== null) wasSignedIn.value = true;
}

export const may = (role: "operator" | "admin"): boolean => {
  const has = session.value?.role;
  return has === "admin" || (has === "operator" && role === "operator");
};

export async function resumeSession(): Promise<void> {
  const answer = await fetch(routeUrl("admin/session")).catch(() => null);
  setSession(answer?.ok === true ? await answer.json() : null);
}

/** Whether the session still holds; without an answer nobody knows, and it is kept. */
export async function checkSession(): Promise<void> {
  const answer = await fetch(routeUrl("admin/session")).catch(() => null);
  if (answer?.status === 401) setSession(null);
}

/** Null if it worked; else what the adapter says. */
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
  return null;
}

export async function signOut(): Promise<void> {
  const headers = { "x-csrf-token": session.value?.csrfToken ?? "" };
  await fetch(routeUrl("admin/session"), { method: "DELETE", headers }).catch(() => null);
  // A new page: nothing of what was shown may stay in memory.
  location.assign(routeUrl("console"));
}
