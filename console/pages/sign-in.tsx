import { useState } from "preact/hooks";
import { say } from "../say.ts";
import { signIn } from "../session.ts";

/** Asks for the key and, for the shared key, the name that the audit shows. */
export function SignInForm() {
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
    </form>
  );
}

function textOf({ status, text }: { readonly status: number; readonly text: string }): string {
  if (status === 0) return say("state.unreachable");
  if (status === 401) return say("signIn.wrong");
  if (status === 400) return say("signIn.nameMissing");
  return text;
}
