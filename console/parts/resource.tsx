import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
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
    path: string | null;
    data: Data | null;
    error: Error | null;
    failedAt: number | null;
  }>({ path, data: null, error: null, failedAt: null });
  const [asked, setAsked] = useState(0);
  const [isLoading, setLoading] = useState(true);
  const change = isLive ? changes.value : 0;
  // The adapter writes some texts in the language of the request, so a change of language loads them again.
  const words = language.value;
  const isSignedIn = session.value != null;
  const underWay = useRef<AbortController | null>(null);
  useEffect(() => {
    if (path === null || !isSignedIn) return undefined;
    const abort = new AbortController();
    underWay.current = abort;
    setLoading(true);
    get<Data>(path, abort.signal)
      .then((data) => setState({ path, data, error: null, failedAt: null }))
      .catch((error: Error) => {
        // What was loaded before stays in sight, with a note that it is old.
        if (abort.signal.aborted) return;
        setState((before) => {
          const isSamePath = before.path === path;
          return {
            ...{ path, data: isSamePath ? before.data : null, error },
            failedAt: (isSamePath ? before.failedAt : null) ?? Date.now(),
          };
        });
      })
      .finally(() => {
        if (!abort.signal.aborted) setLoading(false);
      });
    return () => abort.abort();
  }, [path, change, asked, isSignedIn, words]);
  const back = returns.value;
  const isOld = isLive || state.error !== null;
  useEffect(() => {
    if (back > 0 && isOld) setAsked((count) => count + 1);
  }, [back]);
  const isSame = state.path === path;
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
    const isMissing = error instanceof Refusal && error.status === 404;
    return (
      <div class="notice" role="alert">
        <h2>{isMissing ? say("state.notFound") : say("state.failed")}</h2>
        <p>{error instanceof Refusal ? error.message : say("state.unreachable")}</p>
        <button type="button" onClick={reload}>
          {say("action.tryAgain")}
        </button>
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
