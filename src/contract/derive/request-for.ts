import type { Operation } from "../operation.ts";

export interface ContractRequest {
  readonly method: "GET" | "POST";
  /** Path and query, encoded. */
  readonly path: string;
  readonly body?: string;
}

/** The HTTP request for one input of a row: its members go into the path, the query or the body as the row says. */
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
  // A URL loses these segments, encoded or not: the request would reach another endpoint.
  if (text === "" || text === "." || text === "..") throw new TypeError(`${name} cannot be "${text}" in a path`);
  return encodeURIComponent(text);
}
