import { routeUrl } from "./address.ts";
import { language } from "./say.ts";
import { session, setSession } from "./session.ts";

/** A refusal of the adapter, in its own words. */
export class Refusal extends Error {
  readonly status: number;
  readonly errors: Readonly<Record<string, readonly string[]>>;
  constructor(status: number, detail: string, errors: Readonly<Record<string, readonly string[]>> = {}) {
    super(detail);
    this.status = status;
    this.errors = errors;
  }
}

async function send<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const headers = { ...init.headers, "accept-language": language.value };
  const answer = await fetch(routeUrl(path), { ...init, headers });
  if (answer.status === 401) setSession(null);
  if (!answer.ok) {
    const { detail = "", errors } = await answer.json().catch(() => ({}));
    throw new Refusal(answer.status, detail || `HTTP ${answer.status}`, errors);
  }
  // The adapter and this page are of one version; a page of another one is told to reload by its missing files.
  return (await answer.json()) as Answer;
}

export const get = <Answer>(path: string, signal?: AbortSignal): Promise<Answer> =>
  send(path, signal === undefined ? {} : { signal });

export const post = <Answer>(path: string, body: object): Promise<Answer> =>
  send(path, {
    method: "POST",
    headers: { "content-type": "application/json", "x-csrf-token": session.value?.csrfToken ?? "" },
    body: JSON.stringify(body),
  });

export const postFile = <Answer>(path: string, bytes: Blob): Promise<Answer> =>
  send(path, {
    method: "POST",
    headers: { "content-type": "application/octet-stream", "x-csrf-token": session.value?.csrfToken ?? "" },
    body: bytes,
  });
