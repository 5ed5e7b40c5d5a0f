import { useEffect, useState } from "preact/hooks";
import { address, pathTo, routeUrl } from "../address.ts";
import { Link } from "../parts/link.tsx";
import { say } from "../say.ts";
import { notifyOtherTabs, signIn } from "../session.ts";

/** The page to which the identity provider leads back in a tab that was opened only for signing in. */
export const signedInPage = "signed-in";

/**
 * Asks for the key and, for the shared key, for the name that the audit log shows. Over a page, a sign-in at the
 * provider takes a new tab: leaving the page would lose what was typed there.
 */
export function SignInForm({ isOverPage = false }: { readonly isOverPage?: boolean }) {
  const [key, setKey] = useState("");
  const [name, setName] = useState("");
  const [error, setError] = useState("");
  const [isBusy, setBusy] = useState(false);

  async function submit(): Promise<void> {
    setBusy(true);
    const refusal = await signIn(key.trim(), name.trim());
    setBusy(false);
    if (refusal === null) return setKey("");
    setError(textOf(refusal));
  }

  return (
    <form
      class="sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        submit().catch((problem: Error) => setError(problem.message));
      }}
    >
      <label>
        {say("signIn.key")}
        <input
          type="password"
          required
          autoComplete="current-password"
          value={key}
          onInput={(event) => setKey(event.currentTarget.value)}
        />
      </label>
      <p class="quiet">{say("signIn.keyHint")}</p>
      <label>
        {say("signIn.name")}
        <input
          autoComplete="name"
          maxLength={100}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <p class="quiet">{say("signIn.nameHint")}</p>
      {error === "" ? null : (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <button type="submit" class="primary" disabled={isBusy}>
        {say("signIn.do")}
      </button>
      {hasProvider ? <ProviderLink isOverPage={isOverPage} /> : null}
    </form>
  );
}

const hasProvider = document.querySelector('meta[name="sign-in"]')?.getAttribute("content") === "oidc";

/** Leads to the identity provider and back to this place; over a page, in a new tab. */
function ProviderLink({ isOverPage }: { readonly isOverPage: boolean }) {
  const { path, query } = address.value;
  const why = query.get("sign-in");
  const rest = new URLSearchParams(query);
  rest.delete("sign-in");
  const place = `${pathTo(...path)}${rest.size === 0 ? "" : `?${rest}`}`;
  const to = isOverPage ? signedInPage : place;
  const url = routeUrl("admin/oidc/sign-in");
  if (to !== "") url.searchParams.set("to", to);
  return (
    <>
      {why === "failed" || why === "forbidden" ? (
        <p class="error" role="alert">
          {say(`signIn.${why}`)}
        </p>
      ) : null}
      <a href={url.href} class="button" {...(isOverPage ? { target: "_blank", rel: "noopener" } : {})}>
        {say("signIn.provider")}
      </a>
    </>
  );
}

/** Tells the tab that asked for it, which then goes on where it was. */
export function SignedIn() {
  useEffect(notifyOtherTabs, []);
  return (
    <>
      <h1>{say("signIn.done")}</h1>
      <p>{say("signIn.goOn")}</p>
      <p>
        <Link to="">{say("nav.overview")}</Link>
      </p>
    </>
  );
}

function textOf({ status, text }: { readonly status: number; readonly text: string }): string {
  if (status === 0) return say("state.unreachable");
  if (status === 401) return say("signIn.wrong");
  if (status === 400) return say("signIn.nameMissing");
  return text;
}
