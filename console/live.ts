import { computed, effect, signal } from "@preact/signals";
import { address, routeUrl } from "./address.ts";
import { checkSession, session } from "./session.ts";

/** Incremented when something has changed at the adapter. Views then load again. */
export const changes = signal(0);
/** The time since which the adapter cannot be reached; null while it can. */
export const lostSince = signal<number | null>(null);

/** Rises when the adapter is reached again; what could not be loaded meanwhile is loaded then. */
export const returns = signal(0);

/** Another text when the adapter is reached again, or somebody has signed in again: what was refused before may now work. */
export const reachedBy = computed(() => `${returns.value} ${session.value?.csrfToken ?? ""}`);

let source: EventSource | null = null;
let timer = 0;
/** A busy floor changes something every second, but nobody needs to see each change at once. */
const atMostEveryMs = 2_000;
const reopenMs = 3_000;

/** A screen on the wall is read without being touched. The adapter keeps the session of a viewer open for it. */
const stream = computed(() => (address.value.path[0] === "wall" ? "admin/live?view=wall" : "admin/live"));
let openedStream = "";

effect(() => {
  if (session.value == null || stream.value !== openedStream) close();
  if (session.value != null && source === null && !document.hidden) open();
});

function open(): void {
  openedStream = stream.value;
  const opened = new EventSource(routeUrl(openedStream));
  source = opened;
  const reached = () => {
    if (lostSince.value === null) return;
    lostSince.value = null;
    returns.value++;
  };
  opened.addEventListener("changed", () => {
    reached();
    noteChange();
  });
  opened.addEventListener("open", reached);
  opened.addEventListener("error", () => {
    lostSince.value ??= Date.now();
    // The browser reconnects by itself, except after a refusal.
    if (opened.readyState !== EventSource.CLOSED) return;
    source = null;
    setTimeout(() => void reopen(), reopenMs);
  });
}

/**
 * Checks the session first: a restart of the adapter ends all sessions, and the page would otherwise show old data
 * without saying why.
 */
async function reopen(): Promise<void> {
  if (session.value == null || source !== null || document.hidden) return;
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

// A browser opens six connections to an adapter. If each tab in the background kept one, the seventh would not load.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return close();
  if (session.value != null && source === null) open();
  changes.value++;
});
