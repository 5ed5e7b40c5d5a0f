import type { ComponentChildren } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { say } from "../say.ts";

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
