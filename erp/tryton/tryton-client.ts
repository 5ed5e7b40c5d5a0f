import { setTimeout as pause } from "node:timers/promises";

/** An error that Tryton reported, almost always with status 200. */
export class TrytonError extends Error {
  readonly kind: string;
  constructor(method: string, status: number, error: unknown) {
    const [kind, detail] = Array.isArray(error) ? error : ["", error];
    super(`${method}: ${status} ${String(kind)} ${JSON.stringify(detail)?.slice(0, 500)}`);
    this.kind = String(kind);
  }
}

export type TrytonRow = Readonly<Record<string, unknown>> & { readonly id: number };
export type Values = Readonly<Record<string, unknown>>;
export type Domain = readonly unknown[];

/** A person at Tryton's client: reads and writes records, presses buttons. */
export interface TrytonClient {
  readonly userId: number;
  readonly create: (model: string, records: readonly Values[]) => Promise<readonly number[]>;
  readonly write: (model: string, ids: readonly number[], values: Values) => Promise<void>;
  readonly find: (model: string, domain: Domain, fields: readonly string[]) => Promise<readonly TrytonRow[]>;
  readonly press: (model: string, button: string, ids: readonly number[]) => Promise<unknown>;
  /** Company and employee of the user take part in every later call; needed after they were set. */
  readonly renewContext: () => Promise<void>;
}

export const decimal = (text: string) => ({ __class__: "Decimal", decimal: text });
export function dateValue(date: Date) {
  return { __class__: "date", year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

interface Place {
  readonly baseUrl: string;
  readonly database: string;
  readonly login: string;
  readonly password: string;
}

async function callTryton(url: string, call: { method: string; params: readonly unknown[] }, authorization?: string) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...(authorization === undefined ? {} : { authorization }) },
    body: JSON.stringify({ id: 1, ...call }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new TrytonError(call.method, answer.status, text);
  // Always an object with `result` or `error`; anything else is a server that is not Tryton.
  const content = JSON.parse(text) as { readonly result?: unknown; readonly error?: unknown };
  if (content.error !== undefined) throw new TrytonError(call.method, answer.status, content.error);
  return content.result;
}

export async function openTryton({ baseUrl, database, login, password }: Place): Promise<TrytonClient> {
  const url = `${baseUrl}/${database}/`;
  const signIn = { method: "common.db.login", params: [login, { password }, "en"] };
  // The documented answer of the login.
  const [userId, session] = (await callTryton(url, signIn)) as [number, string];
  const authorization = `Session ${Buffer.from(`${login}:${userId}:${session}`).toString("base64")}`;
  const call = (method: string, ...params: readonly unknown[]) => callTryton(url, { method, params }, authorization);
  let context: unknown = {};
  const renewContext = async () => {
    context = await call("model.res.user.get_preferences", true, {});
  };
  await renewContext();
  return {
    userId,
    renewContext,
    // The documented answers of these methods.
    create: async (model, records) => (await call(`model.${model}.create`, records, context)) as number[],
    write: async (model, ids, values) => void (await call(`model.${model}.write`, ids, values, context)),
    find: async (model, domain, fields) =>
      (await call(`model.${model}.search_read`, domain, 0, null, [["id", "ASC"]], fields, context)) as TrytonRow[],
    press: (model, button, ids) => call(`model.${model}.${button}`, ids, context),
  };
}

/** Settles when the server answers; throws after a minute. */
export async function untilTrytonAnswers(baseUrl: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const version = callTryton(`${baseUrl}/`, { method: "common.server.version", params: [] });
    if (
      await version.then(
        () => true,
        () => false,
      )
    )
      return;
    await pause(100);
  }
  throw new Error(`Tryton does not answer at ${baseUrl}`);
}
