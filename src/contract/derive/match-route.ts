import { type OperationId, operationIds, operationRow } from "../operations.ts";

/** An operation found by its raw URL; the value is still percent-encoded. */
export interface RouteMatch {
  readonly id: OperationId;
  readonly rawValue: string | null;
  readonly rawQuery: string;
}
export interface WrongMethod {
  readonly allow: string;
}

interface ParameterRoute {
  readonly prefix: string;
  readonly id: OperationId;
}

/**
 * Matches URLs before anything is decoded: `%2F` in an item number must not become a path
 * separator, and case and a trailing slash must not matter. Built from the table alone.
 */
export function routeMatcher(basePath: string) {
  const fixed = new Map<string, Map<string, OperationId>>();
  const parameters = new Map<string, ParameterRoute[]>();
  for (const id of operationIds) {
    const { method, path } = operationRow(id);
    const parameterStart = path.indexOf("{");
    if (parameterStart < 0) {
      const key = path.toLowerCase();
      fixed.set(key, (fixed.get(key) ?? new Map()).set(method, id));
    } else {
      const routes = parameters.get(method) ?? [];
      routes.push({ prefix: path.slice(0, parameterStart).toLowerCase(), id });
      // The longest prefix first: /Items/IntegrateImage/5 is an image, not the item "IntegrateImage/5".
      routes.sort((a, b) => b.prefix.length - a.prefix.length);
      parameters.set(method, routes);
    }
  }
  const base = basePath.toLowerCase().replace(/\/+$/, "");

  return (rawMethod: string, url: string): RouteMatch | WrongMethod | null => {
    const method = rawMethod === "HEAD" ? "GET" : rawMethod;
    const queryStart = url.indexOf("?");
    const rawQuery = queryStart < 0 ? "" : url.slice(queryStart + 1);
    let rawPath = queryStart < 0 ? url : url.slice(0, queryStart);
    let path = rawPath.toLowerCase();
    if (base !== "") {
      if (!path.startsWith(`${base}/`)) return null;
      rawPath = rawPath.slice(base.length);
      path = path.slice(base.length);
    }
    const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;

    const methods = fixed.get(trimmed);
    const fixedId = methods?.get(method);
    if (fixedId !== undefined) return { id: fixedId, rawValue: null, rawQuery };

    for (const { prefix, id } of parameters.get(method) ?? []) {
      // Nothing after the slash is an empty value. The next shorter route must not match, because its results differ.
      if (path === prefix || trimmed === prefix) return { id, rawValue: "", rawQuery };
      if (trimmed.length > prefix.length && trimmed.startsWith(prefix)) {
        return { id, rawValue: rawPath.slice(prefix.length, trimmed.length), rawQuery };
      }
    }
    return wrongMethod(trimmed, methods, parameters);
  };
}

function wrongMethod(
  path: string,
  methods: ReadonlyMap<string, OperationId> | undefined,
  parameters: ReadonlyMap<string, readonly ParameterRoute[]>,
): WrongMethod | null {
  const allowed = new Set(methods?.keys());
  for (const [method, routes] of parameters) {
    if (routes.some(({ prefix }) => path.length > prefix.length && path.startsWith(prefix))) allowed.add(method);
  }
  if (allowed.size === 0) return null;
  if (allowed.has("GET")) allowed.add("HEAD");
  return { allow: [...allowed].sort().join(", ") };
}

/** Decodes once. An invalid encoding is taken literally: an item "50%" that was scanned unencoded is still found. */
export function decodeValue(raw: string): string {
  if (!raw.includes("%")) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}

/** Returns query members by lower-case name. Duplicate names are reported; of their values the first one counts. */
export function readQuery(rawQuery: string, onTwice?: (name: string) => void): Map<string, string> {
  const members = new Map<string, string>();
  for (const part of rawQuery.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = decodeMember(equals < 0 ? part : part.slice(0, equals)).toLowerCase();
    const value = equals < 0 ? "" : decodeMember(part.slice(equals + 1));
    if (!members.has(name)) members.set(name, value);
    else onTwice?.(name);
  }
  return members;
}

const decodeMember = (raw: string): string => decodeValue(raw.includes("+") ? raw.replaceAll("+", " ") : raw);
