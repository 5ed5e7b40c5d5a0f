import { Fault } from "../../fault.ts";
import type { HttpClient } from "../http-client.ts";
import { memberAt } from "../member-at.ts";
import { readAnswer } from "../read-answer.ts";
import type { SessionOptions } from "./auth-options.ts";
import type { FreshProof } from "./renewable-proof.ts";

/** Logs in and keeps what the answer gave: its cookies, or a token in it. */
export async function sessionLogin(options: SessionOptions, url: URL, client: HttpClient): Promise<FreshProof> {
  const body = Buffer.from(JSON.stringify(options.body ?? {}));
  const answer = await client.send({
    method: "POST",
    url,
    headers: { "content-type": "application/json", "content-length": String(body.length), accept: "application/json" },
    body,
    // Shared by all who wait for the session: none of them may break it off.
    signal: new AbortController().signal,
  });
  if (answer.status < 200 || answer.status >= 300) throw refused(`status ${answer.status}`, answer.status);
  const { token } = options;
  if (token !== undefined) {
    const found = memberAt(readAnswer(answer).json, token.at);
    if (typeof found !== "string" || found === "") throw refused(`its answer has no ${token.at}`, answer.status);
    const value = token.prefix === undefined ? found : `${token.prefix} ${found}`;
    const headers = { [(token.header ?? "authorization").toLowerCase()]: value };
    return { proof: { headers, query: {} }, lifetimeMs: null, secrets: [found] };
  }
  const cookies = (answer.headers["set-cookie"] ?? []).flatMap((line) => line.split(";")[0]?.trim() || []);
  if (cookies.length === 0) throw refused("its answer has no cookie", answer.status);
  const values = cookies.map((cookie) => cookie.slice(cookie.indexOf("=") + 1));
  return { proof: { headers: { cookie: cookies.join("; ") }, query: {} }, lifetimeMs: null, secrets: values };
}

const refused = (reason: string, status: number): Fault =>
  new Fault("unreachable", `the login was refused: ${reason}; check user name and password`, { answer: { status } });
