/** An answer of Medusa that is no success. */
export class MedusaError extends Error {
  readonly status: number;
  constructor(call: string, status: number, text: string) {
    super(`${call}: ${status} ${text.slice(0, 500)}`);
    this.status = status;
  }
}

export type MedusaRecord = Readonly<Record<string, unknown>> & { readonly id: string };

/** A person at Medusa's administration. */
export interface MedusaClient {
  readonly get: (path: string) => Promise<Readonly<Record<string, unknown>>>;
  readonly remove: (path: string) => Promise<Readonly<Record<string, unknown>>>;
  readonly post: (path: string, body?: unknown) => Promise<Readonly<Record<string, unknown>>>;
}

export async function openMedusa(baseUrl: string, login: { email: string; password: string }): Promise<MedusaClient> {
  const call = async (method: string, path: string, body?: unknown, token?: string) => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new MedusaError(`${method} ${path}`, answer.status, text);
    // Every route of the administration answers with an object.
    return JSON.parse(text) as Record<string, unknown>;
  };
  const { token } = await call("POST", "/auth/user/emailpass", login);
  return {
    get: (path) => call("GET", path, undefined, String(token)),
    remove: (path) => call("DELETE", path, undefined, String(token)),
    post: (path, body = {}) => call("POST", path, body, String(token)),
  };
}

/** A member that is an object with an id, as the created record in an answer. */
export function recordIn(answer: Readonly<Record<string, unknown>>, name: string): MedusaRecord {
  const found = answer[name];
  if (typeof found !== "object" || found === null || !("id" in found)) throw new Error(`the answer has no ${name}`);
  // Checked in the line above.
  return found as MedusaRecord;
}
