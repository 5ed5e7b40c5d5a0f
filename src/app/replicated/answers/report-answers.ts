import { request as send } from "node:http";
import { request as sendSecurely } from "node:https";
import { callerHeaders, notOwnerHeader } from "../../../server/connection/passed-on.ts";
import type { PassOnNeeds } from "../passing/pass-on.ts";

const timeoutMs = 1_000;

/**
 * Tells a new owner about answers of earlier owners without waiting for a request to pass on, because the next equal
 * piece may go directly to the owner. If this fails, they are reported with the next request or the next call.
 */
export function reportAnswers({ view, secret, trust, answers }: PassOnNeeds, path: string): void {
  const { owner, ownerUrl } = view();
  if (owner === null || ownerUrl === null) return;
  const answered = answers.unknownTo(owner);
  if (answered.length === 0) return;
  const { protocol, hostname, port } = new URL(ownerUrl);
  const isSecure = protocol === "https:";
  const target = { hostname: hostname.replace(/^\[|\]$/g, ""), port: port || (isSecure ? 443 : 80) };
  const method = "GET";
  const headers = callerHeaders(secret, { address: "", names: null, answered }, { method, url: path });
  const options = { ...target, method, path, headers, timeout: timeoutMs, agent: false, ...(isSecure ? trust : {}) };
  const asked = (isSecure ? sendSecurely : send)(options, (answer) => {
    answer.resume();
    if (answer.headers[notOwnerHeader] === undefined) answers.reported(answered);
  });
  asked.on("timeout", () => asked.destroy());
  asked.on("error", () => {
    // The next call tries again.
  });
  asked.end();
}
