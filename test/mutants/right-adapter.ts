import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { resultForFault } from "../../src/contract/operation.ts";
import { type OperationId, operationIds, operationRow } from "../../src/contract/operations.ts";
import { pushRow, pushTopics } from "../../src/contract/pushes.ts";
import { type Validator, validator } from "../../src/contract/validate/validator.ts";
import { type RightFloor, rightFloor, type Said } from "./right-floor.ts";

export const mutantKey = "mutant-key";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The joints of the adapter. Each is right; a mutant exchanges some of them. */
export interface Parts {
  readonly floor: RightFloor;
  readonly path: (id: OperationId) => string;
  /** The text as routes are compared. */
  readonly fold: (path: string) => string;
  readonly decode: (value: string) => string;
  readonly query: (search: string) => Readonly<Record<string, string>>;
  /** Throws where it is no JSON. */
  readonly parse: (text: string) => unknown;
  /** Gives members their documented spelling. */
  readonly spell: (id: OperationId, body: unknown) => unknown;
  readonly problems: (id: OperationId, body: unknown) => readonly string[];
  readonly operate: (id: OperationId, input: unknown, request: IncomingMessage) => Said | Promise<Said>;
  readonly refuse: (id: OperationId, problems: readonly string[]) => Answer;
  readonly number: (id: OperationId, result: string) => unknown;
  readonly envelope: (id: OperationId, said: Said) => unknown;
  readonly version: () => unknown;
  readonly answer: (id: OperationId, body: unknown, said?: Said) => Answer;
  readonly edge: (status: number, headers?: Readonly<Record<string, string>>) => Answer;
  readonly mediaTypes: RegExp;
}

export type Change = (right: Parts) => Partial<Parts>;

const json = "application/json; charset=utf-8";
const validators = new Map<OperationId, Validator>();
for (const id of operationIds) {
  const { body } = operationRow(id);
  if (body !== undefined) validators.set(id, validator(body));
}

/** Parts call each other through `all`, so that a changed one is used by the others as well. */
function rightParts(all: () => Parts): Parts {
  const floor = rightFloor();
  const answer = (status: number, body: unknown, type = json): Answer => ({
    status,
    headers: { "content-type": type },
    body: JSON.stringify(body),
  });
  return {
    floor,
    path: (id) => operationRow(id).path,
    fold: (path) => path.toLowerCase().replace(/(.)\/$/, "$1"),
    decode: (value) => {
      try {
        return decodeURIComponent(value);
      } catch {
        return value;
      }
    },
    query: (search) => {
      const given = new Map([...new URLSearchParams(search)].map(([name, value]) => [name.toLowerCase(), value]));
      return { Code: given.get("code") ?? "", StorageName: given.get("storagename") ?? "" };
    },
    parse: (text) => JSON.parse(text.replace(/^\uFEFF/, "")),
    spell: (id, body) => validators.get(id)?.canonical(body) ?? body,
    problems: (id, body) => {
      const check = validators.get(id);
      return check === undefined || check.isValid(body)
        ? []
        : check.problems(body).map(({ field, expected }) => `${field}: ${expected}`);
    },
    operate: (id, input) => floor.operations[id as Exclude<OperationId, "getStatus">](input as never),
    refuse: (id, problems) => {
      const said = { result: resultForFault(operationRow(id), "invalid"), problems };
      return all().answer(id, all().envelope(id, said), said);
    },
    number: (id, result) => operationRow(id).results.indexOf(result),
    envelope: (id, { result, data = null, message = null, problems }) => ({
      isResultSuccess: result === operationRow(id).success,
      result: all().number(id, result),
      validationStatus:
        problems === undefined ? null : { errorMessages: problems, isValid: false, errorCount: problems.length },
      externalMessage: message,
      data,
    }),
    version: () => ({ version: "1.2.3", title: "Right", buildDateTime: "2026-01-01T00:00:00Z" }),
    answer: (_, body) => answer(200, body),
    edge: (status, headers = {}) => {
      const plain = answer(status, { title: "No", status }, "application/problem+json");
      return { ...plain, headers: { ...plain.headers, ...headers } };
    },
    mediaTypes: /^application\/json/i,
  };
}

/** A right adapter with some parts exchanged, listening on the loopback. */
export async function startMutant(change: Change = () => ({})): Promise<{ url: string; close: () => void }> {
  const all: { parts?: Parts } = {};
  const right = rightParts(() => all.parts ?? right);
  const parts: Parts = { ...right, ...change(right) };
  all.parts = parts;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { status, headers, body } = await serve(parts, request, Buffer.concat(chunks).toString());
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function serve(parts: Parts, request: IncomingMessage, text: string): Promise<Answer> {
  const [path = "", search = ""] = (request.url ?? "").split(/\?(.*)/s);
  const push = pushTopics.find((topic) => pushRow(topic).path === path);
  if (push !== undefined) return pushed(parts, path, request, text);
  const found = operationIds.filter((id) => valueIn(parts, id, path) !== null);
  const id = found.find((one) => operationRow(one).method === request.method);
  if (id === undefined)
    return found.length === 0
      ? parts.edge(404)
      : parts.edge(405, { allow: found.map((one) => operationRow(one).method).join(", ") });
  if (id === "getStatus") return parts.answer(id, parts.version());
  const row = operationRow(id);
  if (row.body === undefined) {
    const value = parts.decode(valueIn(parts, id, path) ?? "");
    const input = row.query === undefined ? { code: value, number: value } : parts.query(search);
    const said = await parts.operate(id, input, request);
    return parts.answer(id, parts.envelope(id, said), said);
  }
  if (!parts.mediaTypes.test(request.headers["content-type"] ?? "")) return parts.edge(415);
  let body: unknown;
  try {
    body = parts.spell(id, parts.parse(text));
  } catch {
    return parts.refuse(id, ["$: no JSON"]);
  }
  const problems = parts.problems(id, body);
  if (problems.length > 0) return parts.refuse(id, problems);
  const said = await parts.operate(id, body, request);
  return parts.answer(id, parts.envelope(id, said), said);
}

/** What fills the path, still encoded; empty where nothing does, null where this is another row's. */
function valueIn(parts: Pick<Parts, "fold" | "path">, id: OperationId, path: string): string | null {
  const { fold } = parts;
  const [head = "", param] = parts.path(id).split(/\{\w+\}/);
  if (param === undefined) return fold(path) === fold(head) ? "" : null;
  if (fold(path.slice(0, head.length)) !== fold(head) || path.length <= head.length) return null;
  const isImage = id === "getItem" && valueIn(parts, "getItemImage", path) !== null;
  return isImage ? null : path.slice(head.length);
}

function pushed({ floor, edge }: Parts, path: string, request: IncomingMessage, text: string): Answer {
  if (request.headers.authorization !== `Bearer ${mutantKey}`) return edge(401);
  const body: unknown = JSON.parse(text);
  for (const one of Array.isArray(body) ? body : [body]) floor.take[path.split("/").at(-1) ?? ""]?.(one as never);
  return { status: 202, headers: { "content-type": json }, body: '{"ids":[]}' };
}
