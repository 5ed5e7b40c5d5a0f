import type { Envelope, ProblemDetails } from "../envelope.ts";
import type { Operation } from "../operation.ts";
import { type DataOf, type InputOf, type OperationId, operationIds, operationRow } from "../operations.ts";
import { type PushedElement, type PushReceipt, type PushTopic, pushRow, pushTopics } from "../pushes.ts";
import type { VersionInfo } from "../schemas/queries.ts";

export interface ClientOptions {
  /** The URL of the adapter, with its base path if it has one. */
  readonly baseUrl: string;
  /** Only needed for pushes. */
  readonly apiKey?: string;
  readonly language?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly deadlineMs?: number;
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  readonly language?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

/** Every answer except the version comes in the envelope. A refusal is an answer, not an error. */
export type AnswerOf<Id extends OperationId> = Id extends "getStatus" ? VersionInfo : Envelope<DataOf<Id>>;

type Call<Id extends OperationId> =
  unknown extends InputOf<Id>
    ? (input?: undefined, options?: CallOptions) => Promise<AnswerOf<Id>>
    : (input: InputOf<Id>, options?: CallOptions) => Promise<AnswerOf<Id>>;

type PushCall<Topic extends PushTopic> = (
  elements: PushedElement[Topic] | readonly PushedElement[Topic][],
  options?: CallOptions,
) => Promise<PushReceipt>;

export type Client = { readonly [Id in OperationId]: Call<Id> } & {
  readonly push: { readonly [Topic in PushTopic]: PushCall<Topic> };
};

const defaultDeadlineMs = 30_000;

/** A client with one method per row of the table. It throws a ClientError if there was no valid answer. */
export function createClient(options: ClientOptions): Client {
  const send = sender(options);
  const calls = operationIds.map((id) => {
    const row = operationRow(id);
    return [id, (input: unknown, call?: CallOptions) => send(requestFor(row, input), 200, call)] as const;
  });
  const keyHeaders = options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` };
  const pushCalls = pushTopics.map((topic) => {
    const { path } = pushRow(topic);
    const push = (elements: unknown, call?: CallOptions) =>
      send({ method: "POST", path, body: JSON.stringify(elements), headers: keyHeaders }, 202, call);
    return [topic, push] as const;
  });
  // The client is built from the table, and so is its type; TypeScript cannot see that both match.
  return { ...Object.fromEntries(calls), push: Object.fromEntries(pushCalls) } as unknown as Client;
}

interface Request {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function sender(options: ClientOptions) {
  const base = options.baseUrl.replace(/\/+$/, "");
  const doFetch = options.fetch ?? fetch;
  return async (request: Request, expectedStatus: number, call: CallOptions = {}): Promise<unknown> => {
    const { method, path, body } = request;
    const deadline = AbortSignal.timeout(call.deadlineMs ?? options.deadlineMs ?? defaultDeadlineMs);
    const response = await doFetch(`${base}${path}`, {
      method,
      headers: {
        accept: "application/json",
        "accept-language": call.language ?? options.language ?? "en",
        ...(body === undefined ? {} : { "content-type": "application/json; charset=utf-8" }),
        ...options.headers,
        ...request.headers,
        ...call.headers,
      },
      ...(body === undefined ? {} : { body }),
      // Following a redirect would send the operator's data and the key to an address that nobody configured.
      redirect: "error",
      signal: call.signal === undefined ? deadline : AbortSignal.any([deadline, call.signal]),
    });
    const text = await response.text();
    if (response.status !== expectedStatus) throw new ClientError(`${method} ${path}`, response.status, text);
    try {
      return JSON.parse(text);
    } catch {
      throw new ClientError(`${method} ${path}`, response.status, text);
    }
  };
}

const shownLength = 200;

/** Thrown if the adapter, or a proxy before it, did not answer as the contract requires. */
export class ClientError extends Error {
  readonly status: number;
  /** The adapter's problem details, if it sent them. */
  readonly problem: ProblemDetails | null;

  constructor(call: string, status: number, body: string) {
    const problem = problemIn(body);
    super(
      `${call} was answered with HTTP ${status}: ${problem?.detail ?? problem?.title ?? body.slice(0, shownLength)}`,
    );
    this.name = "ClientError";
    this.status = status;
    this.problem = problem;
  }
}

function problemIn(body: string): ProblemDetails | null {
  try {
    const value: unknown = JSON.parse(body);
    const isProblem = typeof value === "object" && value !== null && "title" in value && "status" in value;
    // Title and status are the only members that other rooms rely on.
    return isProblem ? (value as ProblemDetails) : null;
  } catch {
    return null;
  }
}

interface ContractRequest {
  readonly method: "GET" | "POST";
  /** Path and query, encoded. */
  readonly path: string;
  readonly body?: string;
}

/**
 * Builds the HTTP request for one input of a row. Its members go into the path, the query or the body, as the row says.
 */
export function requestFor(row: Operation, input: unknown): ContractRequest {
  const members = new Map<string, unknown>(Object.entries(Object(input ?? {})));
  const path = row.path.replace(/\{(\w+)\}/, (_, name: string) => pathValue(name, members.get(name)));
  const query = new URLSearchParams();
  for (const name of Object.keys(row.query?.properties ?? {})) {
    const value = members.get(name);
    if (value !== undefined && value !== null) query.set(name, String(value));
  }
  const search = query.size === 0 ? "" : `?${query}`;
  return {
    method: row.method,
    path: `${path}${search}`,
    ...(row.body === undefined ? {} : { body: JSON.stringify(input) }),
  };
}

function pathValue(name: string, value: unknown): string {
  const text = String(value ?? "");
  // A URL drops these segments, encoded or not: the request would reach a different endpoint.
  if (text === "" || text === "." || text === "..") throw new TypeError(`${name} cannot be "${text}" in a path`);
  return encodeURIComponent(text);
}
