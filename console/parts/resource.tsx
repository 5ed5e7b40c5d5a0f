import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary, useRef, useState } from "preact/hooks";
import { get, Refusal } from "../api.ts";
import { changes, lostSince, returns } from "../live.ts";
import { language, say, sayTime } from "../say.ts";
import { session } from "../session.ts";

export interface Resource<Data> {
  readonly data: Data | null;
  readonly error: Error | null;
  /** Since when it cannot be loaded; null while it can. */
  readonly failedAt: number | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/**
 * Loads a route of the adapter, and loads it again when something has changed there. With null, nothing is loaded yet.
 */
export function useResource<Data>(path: string | null, { isLive = true } = {}): Resource<Data> {
  const [state, setState] = useState<{
    key: string | null;
    data: Data | null;
    error: Error | null;
    failedAt: number | null;
  }>({ key: null, data: null, error: null, failedAt: null });
  const [asked, setAsked] = useState(0);
  const [isLoading, setLoading] = useState(true);
  const change = isLive ? changes.value : 0;
  // The adapter writes some texts in the language of the request, so a change of language loads them again.
  const words = language.value;
  const isSignedIn = session.value != null;
  // Kept while nobody is signed in: what was loaded stays in sight. Somebody else may not see it.
  const reader = useRef("");
  if (session.value != null) reader.current = `${session.value.name} ${session.value.role}`;
  const key = path === null ? null : `${reader.current} ${path}`;
  const underWay = useRef<AbortController | null>(null);
  /** Set if something has changed while a load is under way. */
  const isDue = useRef(false);
  useEffect(() => {
    if (path === null || !isSignedIn) return undefined;
    const abort = new AbortController();
    underWay.current = abort;
    isDue.current = false;
    setLoading(true);
    get<Data>(path, abort.signal)
      .then((data) => setState({ key, data, error: null, failedAt: null }))
      .catch((error: Error) => {
        // What was loaded before stays in sight, with a note that it is old.
        if (abort.signal.aborted) return;
        setState((before) => {
          const isSame = before.key === key;
          return {
            ...{ key, data: isSame ? before.data : null, error },
            failedAt: (isSame ? before.failedAt : null) ?? Date.now(),
          };
        });
      })
      .finally(() => {
        if (abort.signal.aborted) return;
        setLoading(false);
        underWay.current = null;
        if (isDue.current) setAsked((count) => count + 1);
      });
    return () => abort.abort();
  }, [key, asked, isSignedIn, words]);
  const seen = useRef(change);
  useEffect(() => {
    if (seen.current === change) return;
    seen.current = change;
    // Never aborts a load: over a slow link, a busy floor would keep a page from ever being loaded.
    if (underWay.current !== null && !underWay.current.signal.aborted) isDue.current = true;
    else setAsked((count) => count + 1);
  }, [change]);
  const back = returns.value;
  const isOld = isLive || state.error !== null;
  useEffect(() => {
    if (back > 0 && isOld) setAsked((count) => count + 1);
  }, [back]);
  const isSame = state.key === key;
  return {
    data: isSame ? state.data : null,
    error: isSame ? state.error : null,
    failedAt: isSame ? state.failedAt : null,
    isLoading,
    reload: () => setAsked((count) => count + 1),
  };
}

/** Shows the loaded data, or why there is none and what to do. */
export function Loaded<Data>(props: {
  readonly of: Resource<Data>;
  readonly children: (data: Data) => ComponentChildren;
}) {
  const { data, error, failedAt, reload } = props.of;
  const lost = lostSince.value;
  if (data === null && error !== null) {
    const status = error instanceof Refusal ? error.status : null;
    // Another try does not change the role of a person.
    const isForbidden = status === 403;
    return (
      <div class="notice" role="alert">
        <h2>{say(isForbidden ? "state.forbidden" : status === 404 ? "state.notFound" : "state.failed")}</h2>
        <p>{error instanceof Refusal ? error.message : say("state.unreachable")}</p>
        {isForbidden ? null : (
          <button type="button" onClick={reload}>
            {say("action.tryAgain")}
          </button>
        )}
      </div>
    );
  }
  if (data === null) {
    return (
      <div class="loading" role="status">
        <span>{say("state.loading")}</span>
      </div>
    );
  }
  return (
    <>
      {/* While the adapter is not reached, the page says it once. */}
      {error === null || lost !== null ? null : (
        <p class="stale" role="status">
          {say("state.stale", { time: sayTime(new Date(failedAt ?? Date.now()).toISOString()) })}
        </p>
      )}
      {props.children(data)}
    </>
  );
}

export function Empty({ text, hint }: { readonly text: string; readonly hint?: string }) {
  return (
    <div class="empty">
      <p>{text}</p>
      {hint === undefined ? null : <p class="quiet">{hint}</p>}
    </div>
  );
}

/**
 * Shows its children, or what to do if they cannot be drawn. A page that was opened before an update of the adapter may
 * not understand its answers; without this it would stay as it is, or empty, and say nothing.
 */
export function Guarded({ children }: { readonly children: ComponentChildren }) {
  const [error] = useErrorBoundary();
  if (error === undefined) return <>{children}</>;
  return (
    <div class="notice" role="alert">
      <h1>{say("state.failed")}</h1>
      <p>{say("state.reload")}</p>
      <button type="button" onClick={() => location.reload()}>
        {say("action.reload")}
      </button>
    </div>
  );
}
