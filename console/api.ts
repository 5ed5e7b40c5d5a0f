import { routeUrl } from "./address.ts";
import { isUnattended } from "./attention.ts";
import { language, say, sayKnown, sayText } from "./say.ts";
import { session, setSession } from "./session.ts";

/** A refusal by the adapter, with the adapter's own text. */
export class Refusal extends Error {
  readonly status: number;
  readonly errors: Readonly<Record<string, readonly string[]>>;
  constructor(status: number, detail: string, errors: Readonly<Record<string, readonly string[]>> = {}) {
    super(detail);
    this.status = status;
    this.errors = errors;
  }
}

/** The adapter did not answer. */
class Unreachable extends Error {}

async function send<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const headers = {
    ...{ ...init.headers, "accept-language": language.value },
    // What a page loads by itself while nobody is there must not keep the session open.
    ...(isUnattended() ? { "x-unattended": "true" } : {}),
  };
  const asked = session.value?.csrfToken;
  const answer = await fetch(routeUrl(path), { ...init, headers }).catch((error: Error) => {
    // What the browser says is in its own language and words.
    throw error.name === "AbortError" ? error : new Unreachable(say("state.unreachable"));
  });
  if (answer.status === 401) {
    // Somebody may have signed in again since it was sent. The new session has not ended.
    if (session.value?.csrfToken === asked) setSession(null);
    // The adapter's text is for tools that send a key.
    throw new Refusal(answer.status, say("signIn.again"));
  }
  if (!answer.ok) {
    const { detail = "", errors, phrase, traceId } = await answer.json().catch(() => ({}));
    const known = phrase === undefined ? sayText(detail) : sayKnown(phrase);
    // Without the reference, nobody would find the cause in the log.
    const hasFailed = answer.status === 500 && typeof traceId === "string";
    const text = hasFailed ? say("state.reference", { reference: traceId }) : known;
    throw new Refusal(answer.status, text || `HTTP ${answer.status}`, errors);
  }
  // The adapter and this page have the same version. A page of another version finds its files missing and has to be
  // reloaded.
  return (await answer.json()) as Answer;
}

export const get = <Answer>(path: string, signal?: AbortSignal): Promise<Answer> =>
  send(path, signal === undefined ? {} : { signal });

export const post = <Answer>(path: string, body: object, signal?: AbortSignal): Promise<Answer> =>
  send(path, {
    ...(signal === undefined ? {} : { signal }),
    method: "POST",
    headers: { "content-type": "application/json", "x-csrf-token": session.value?.csrfToken ?? "" },
    body: JSON.stringify(body),
  });

export const postFile = <Answer>(path: string, bytes: Blob, signal?: AbortSignal): Promise<Answer> =>
  send(path, {
    ...(signal === undefined ? {} : { signal }),
    method: "POST",
    headers: { "content-type": "application/octet-stream", "x-csrf-token": session.value?.csrfToken ?? "" },
    body: bytes,
  });
