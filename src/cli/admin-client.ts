import { userInfo } from "node:os";
import { CommandFailure } from "./command.ts";

/** Where an adapter listens, and the key to it. */
export interface AdapterAddress {
  readonly url: string;
  readonly key: string;
}

export interface AdminClient {
  readonly get: <Answer>(path: string, members?: ReadonlyMap<string, string>) => Promise<Answer>;
  readonly post: <Answer>(path: string, body: object) => Promise<Answer>;
  /** The answer's body as it comes: it may be larger than the memory. */
  readonly stream: (path: string, members?: ReadonlyMap<string, string>) => Promise<ReadableStream<Uint8Array>>;
}

/** Nobody listens there (any more). */
export class AdapterGone extends Error {
  constructor(url: string, cause: unknown) {
    super(`no adapter answers at ${url}`, { cause });
    this.name = "AdapterGone";
  }
}

/** Somebody listens there and is not believed: that is not nobody. */
function certificateFailure(url: string, error: unknown): CommandFailure | undefined {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
  const code = cause !== undefined && "code" in cause ? String(cause.code) : "";
  if (!/CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(code)) return undefined;
  return new CommandFailure(`the certificate of ${url} is not believed: ${cause?.message ?? code}`, {
    next: "name the certificate of its issuer in NODE_EXTRA_CA_CERTS=/path/ca.pem, or use the name it is made for",
  });
}

const answerWithinMs = 120_000;

/** Speaks to the admin routes of a running adapter; what it refuses becomes a failure in its own words. */
export function adminClient({ url, key }: AdapterAddress): AdminClient {
  const send = async (path: string, members: ReadonlyMap<string, string>, init: RequestInit): Promise<Response> => {
    const query = members.size === 0 ? "" : `?${new URLSearchParams([...members])}`;
    const headers = { ...init.headers, authorization: `Bearer ${key}` };
    // A redirect would carry the key to whoever it names.
    const answer = await fetch(url + path + query, { ...init, headers, redirect: "error" }).catch((error: unknown) => {
      throw certificateFailure(url, error) ?? new AdapterGone(url, error);
    });
    if (!answer.ok) throw await failureOf(answer, path);
    return answer;
  };
  const none: ReadonlyMap<string, string> = new Map();
  const soon = () => AbortSignal.timeout(answerWithinMs);
  return {
    // The adapter is of this very version or says what is wrong; its answers are ours.
    get: async <Answer>(path: string, members = none) =>
      (await (await send(path, members, { signal: soon() })).json()) as Answer,
    post: async <Answer>(path: string, body: object) => {
      const headers = { "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(body), signal: soon() };
      // As above.
      return (await (await send(path, none, init)).json()) as Answer;
    },
    stream: async (path, members = none) => (await send(path, members, {})).body ?? new ReadableStream(),
  };
}

interface ProblemBody {
  readonly detail?: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

async function failureOf(answer: Response, path: string): Promise<CommandFailure> {
  if (answer.status === 401) {
    return new CommandFailure("the adapter does not accept this key", {
      next: "give the adapter's key in CROSSDOCK_API_KEY, or name its data folder with --data",
    });
  }
  // What is no problem document (a proxy's page) counts as one without members.
  const { detail, errors = {} } = (await answer.json().catch(() => ({}))) as ProblemBody;
  const named = Object.entries(errors).map(([field, texts]) => `${field} ${texts.join(", ")}`);
  const message = [detail, ...named].filter(Boolean).join(" ") || `the adapter answered ${answer.status}`;
  return new CommandFailure(message, { next: nextAfter(answer.status, path) });
}

const nextAfter = (status: number, path: string): string => {
  if (status === 404 && path.startsWith("/admin/quarantine")) return "look for it with: crossdock quarantine list";
  if (status === 404) return "look for it with: crossdock journal list";
  if (status === 409) return "see its state and what is possible with: crossdock journal show ENTRY";
  return status >= 500 ? "look into the adapter's log" : "correct it and run the command again";
};

export const personOptions = {
  as: { value: "NAME", description: "who decides this, for the audit (else your user name)" },
} as const;

/** The name a decision is written down under. */
export function actingPerson(given: string | undefined): string {
  if (given !== undefined) return given;
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    throw new CommandFailure("this user has no name", { next: "say who decides this with --as NAME" });
  }
}

export function neededReason(given: string | undefined, action: string): string {
  if (given !== undefined && given.trim() !== "") return given;
  throw new CommandFailure(`${action} needs a reason`, { next: `say why with --reason "…"; it goes into the audit` });
}
