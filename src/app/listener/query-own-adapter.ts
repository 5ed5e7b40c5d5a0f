import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";

export interface OwnAnswer {
  readonly status: number;
  /** The members of its JSON; none if it is something else. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** More than any answer about the state of a process. */
const mostCharacters = 1_048_576;

/**
 * Asks the adapter that runs on this machine how it is. Its certificate is not checked: it names the host that the
 * platform calls and not this address, and no key is sent.
 */
export function queryOwnAdapter(url: string, { timeoutMs }: { readonly timeoutMs: number }): Promise<OwnAnswer> {
  const signal = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve, reject) => {
    const fail = (error: Error) =>
      reject(signal.aborted ? new Error(`no answer within ${timeoutMs / 1000} seconds`) : error);
    const secure = url.startsWith("https:");
    const options = { signal, agent: false, ...(secure ? { rejectUnauthorized: false } : {}) };
    const sent = (secure ? requestSecure : requestPlain)(url, options, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => {
        text += chunk;
        if (text.length > mostCharacters) sent.destroy(new Error("its answer is too long"));
      });
      answer.once("error", fail);
      answer.once("end", () => resolve({ status: answer.statusCode ?? 0, body: membersOf(text) }));
    });
    sent.once("error", fail);
    sent.end();
  });
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
