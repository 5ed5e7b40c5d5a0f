import { effect, signal } from "@preact/signals";
import { routeUrl } from "./address.ts";
import { checkSession, session } from "./session.ts";

/** Rises when something has changed at the adapter; views load again then. */
export const changes = signal(0);
/** Since when the adapter cannot be reached; null while it can. */
export const lostSince = signal<number | null>(null);

let source: EventSource | null = null;
let timer = 0;
/** A busy floor changes something every second; reading on screen does not need that. */
const atMostEveryMs = 2_000;
const reopenMs = 3_000;

effect(() => {
  const isSignedIn = session.value != null;
  if (!isSignedIn || source !== null) {
    if (!isSignedIn) close();
    return;
  }
  open();
});

function open(): void {
  const opened = new EventSource(routeUrl("admin/live"));
  source = opened;
  opened.addEventListener("changed", () => {
    lostSince.value = null;
    noteChange();
  });
  opened.addEventListener("open", () => {
    lostSince.value = null;
  });
  opened.addEventListener("error", () => {
    lostSince.value ??= Date.now();
    // The browser tries again by itself, except after a refusal.
    if (opened.readyState !== EventSource.CLOSED) return;
    source = null;
    setTimeout(() => void reopen(), reopenMs);
  });
}

/** A restart of the adapter ends all sessions; without asking, the page would stay stale and never say why. */
async function reopen(): Promise<void> {
  if (session.value == null || source !== null) return;
  await checkSession();
  if (session.value != null && source === null) open();
}

function close(): void {
  source?.close();
  source = null;
}

function noteChange(): void {
  if (timer !== 0) return;
  timer = window.setTimeout(() => {
    timer = 0;
    if (!document.hidden) changes.value++;
  }, atMostEveryMs);
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) changes.value++;
});
