import { userInfo } from "node:os";
import { CommandFailure } from "./command.ts";

/** The address of an adapter and the key for it. */
export interface AdapterAddress {
  readonly url: string;
  readonly key: string;
}

export interface AdminClient {
  readonly get: <Answer>(path: string, members?: ReadonlyMap<string, string>) => Promise<Answer>;
  readonly post: <Answer>(path: string, body: object) => Promise<Answer>;
  /** The body of the answer as a stream: it may be larger than the memory. */
  readonly stream: (path: string, members?: ReadonlyMap<string, string>) => Promise<ReadableStream<Uint8Array>>;
}

/** Thrown if no adapter listens at this address, or not any more. */
export class AdapterGone extends Error {
  constructor(url: string, cause: unknown) {
    super(`no adapter answers at ${url}`, { cause });
    this.name = "AdapterGone";
  }
}

/** Thrown if the adapter does not accept the key. Each wrong key counts: after a few, the whole address has to wait. */
export class KeyRefused extends CommandFailure {
  constructor() {
    super("the adapter does not accept this key", {
      next: "set the adapter's key in CROSSDOCK_API_KEY, or name its data folder with --data",
    });
  }
}

/** An adapter answers, but its certificate is not trusted. The user needs another message than for no answer. */
function certificateFailure(url: string, error: unknown): CommandFailure | undefined {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
  const code = cause !== undefined && "code" in cause ? String(cause.code) : "";
  if (!/CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(code)) return undefined;
  return new CommandFailure(`the certificate of ${url} is not trusted: ${cause?.message ?? code}`, {
    next: "name the issuer's certificate in NODE_EXTRA_CA_CERTS=/path/ca.pem, or use the host name in the certificate",
  });
}

const answerWithinMs = 120_000;

/** Calls the admin routes of a running adapter; a refusal becomes a failure with the adapter's own text. */
export function adminClient({ url, key }: AdapterAddress): AdminClient {
  const send = async (path: string, members: ReadonlyMap<string, string>, init: RequestInit): Promise<Response> => {
    const query = members.size === 0 ? "" : `?${new URLSearchParams([...members])}`;
    const headers = { ...init.headers, authorization: `Bearer ${key}` };
    // A redirect would send the key to another address.
    const answer = await fetch(url + path + query, { ...init, headers, redirect: "error" }).catch((error: unknown) => {
      throw certificateFailure(url, error) ?? new AdapterGone(url, error);
    });
    if (!answer.ok) throw await failureOf(answer, path);
    return answer;
  };
  const none: ReadonlyMap<string, string> = new Map();
  const soon = () => AbortSignal.timeout(answerWithinMs);
  return {
    // The adapter has the same version as this program, or reports the difference, so its answers have these types.
    get: async <Answer>(path: string, members = none) =>
      (await (await send(path, members, { signal: soon() })).json()) as Answer,
    post: async <Answer>(path: string, body: object) => {
      const headers = { "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(body), signal: soon() };
      // The adapter's answers have these types, as above.
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
  if (answer.status === 401) return new KeyRefused();
  // An answer that is not a problem document, such as a proxy's page, is read as one without members.
  const { detail, errors = {} } = (await answer.json().catch(() => ({}))) as ProblemBody;
  const named = Object.entries(errors).map(([field, texts]) => `${field} ${texts.join(", ")}`);
  const message = [detail, ...named].filter(Boolean).join(" ") || `the adapter answered ${answer.status}`;
  return new CommandFailure(message, { next: nextAfter(answer.status, path) });
}

const nextAfter = (status: number, path: string): string => {
  if (path.startsWith("/deployments/")) return "see who owns what with: crossdock status";
  if (status === 404 && path.startsWith("/admin/quarantine")) return "look for it with: crossdock quarantine list";
  if (status === 404) return "look for it with: crossdock journal list";
  if (status === 409) return "see its state and what is possible with: crossdock journal show ENTRY";
  return status >= 500 ? "see the adapter's log" : "correct it and run the command again";
};

export const personOptions = {
  as: { value: "NAME", description: "your name for the audit log (else your user name)" },
} as const;

/** The name that is written into the audit log with a decision. */
export function actingPerson(given: string | undefined): string {
  if (given !== undefined) return given;
  try {
    return userInfo().username;
  } catch {
    // In a container the user id may have no name.
    throw new CommandFailure("this user has no name", { next: "give your name with --as NAME" });
  }
}

export function neededReason(given: string | undefined, action: string): string {
  if (given !== undefined && given.trim() !== "") return given;
  throw new CommandFailure(`${action} needs a reason`, {
    next: `give it with --reason "…"; it is kept in the audit log`,
  });
}
