import { Type } from "typebox";
import type { OptionProblem } from "../connector.ts";

/** Goes directly, whatever the environment says. */
export const noProxy = "none";

/** The setting of a connector that names its proxy. */
export const proxyOption = Type.Optional(
  Type.String({
    description:
      "Proxy to go through, such as `http://proxy.example.com:3128`, with user name and password where it wants them; " +
      "`none`: go directly. Absent: what HTTPS_PROXY, HTTP_PROXY and NO_PROXY say.",
    minLength: 1,
  }),
);

const example = "http://proxy.example.com:3128";

/** Why a text names no proxy; null where it does. The text itself may hold a password and is not repeated. */
export function proxyProblem(text: string): string | null {
  if (text === noProxy) return null;
  const url = URL.parse(withScheme(text));
  if (url === null) return `this is no address of a proxy, such as ${example}`;
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return `only http and https proxies can be used, such as ${example}`;
  }
  const hasMore = url.pathname !== "/" || url.search !== "" || url.hash !== "";
  return hasMore ? `the address of a proxy ends with its port, such as ${example}` : null;
}

/** What is wrong with the setting `proxy`, for a connector's own check. */
export function proxyProblems(proxy: string | undefined, path: OptionProblem["path"] = ["proxy"]): OptionProblem[] {
  const text = proxy === undefined ? null : proxyProblem(proxy);
  return text === null ? [] : [{ path, text, hint: "Or none, to go directly." }];
}

/** Many write `proxy.corp:3128`. */
export const withScheme = (text: string): string => (text.includes("://") ? text : `http://${text}`);

/** The password in the address of a proxy, which no text may show. */
export function proxySecrets(proxy: string | undefined): string[] {
  const { password = "" } = (proxy === undefined ? null : URL.parse(withScheme(proxy))) ?? {};
  return [password, decodeURIComponent(password)];
}
