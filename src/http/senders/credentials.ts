import type { IncomingHttpHeaders } from "node:http";

/** What a request shows about who sends it, not yet judged. */
export interface Credentials {
  /** `Authorization: Bearer …` or `X-Api-Key`: a key, or a token. */
  readonly key?: string;
  readonly basic?: { readonly user: string; readonly password: string };
}

export function credentialsOf(headers: IncomingHttpHeaders): Credentials {
  const { authorization = "", "x-api-key": apiKey } = headers;
  const bearer = /^bearer +(\S+)\s*$/i.exec(authorization)?.[1];
  const key = bearer ?? (typeof apiKey === "string" && apiKey !== "" ? apiKey : undefined);
  const basic = /^basic +([A-Za-z0-9+/_=-]+)\s*$/i.exec(authorization)?.[1];
  return { ...(key === undefined ? {} : { key }), ...(basic === undefined ? {} : userOf(basic)) };
}

function userOf(encoded: string): Pick<Credentials, "basic"> {
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon < 0 ? {} : { basic: { user: text.slice(0, colon), password: text.slice(colon + 1) } };
}

/** Three parts with dots between them; whether it is a good one is another question. */
export const looksLikeToken = (key: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(key);
