import { Fault } from "../../operation/fault.ts";
import { anyMatches, compileAnswerExpression, compileCondition, judgedAnswer } from "../answers/answer-condition.ts";
import { readAnswer } from "../answers/read-answer.ts";
import type { Answer } from "../answers/read-body.ts";
import { memberAt, type Scope, template } from "../answers/template.ts";
import { type HttpClient, headerText } from "../http-client.ts";
import type { CsrfOptions, SessionOptions } from "./auth-kinds.ts";
import type { Authenticator, NewCredentials } from "./renewable-credentials.ts";

interface LoginNeeds {
  readonly client: HttpClient;
  readonly baseUrl: URL;
  readonly variables: Scope;
}

interface Login {
  readonly obtain: () => Promise<NewCredentials>;
  readonly isRefused: Authenticator["isRefused"];
  readonly secrets: readonly string[];
}

/** Logs in, and takes the headers and cookies of all later requests from the answer. */
export function sessionLogin(options: SessionOptions | CsrfOptions, needs: LoginNeeds): Login {
  const { client, baseUrl, variables } = needs;
  const given = options.kind === "csrf" ? csrfSession(options) : options;
  const { loginPath, loginMethod = "POST", username, password = "" } = given;
  const url = new URL(baseUrl.href.replace(/\/*$/, "") + loginPath);
  const basic =
    username === undefined
      ? {}
      : { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
  const login = filled(given.body ?? {}, variables);
  const body = loginMethod === "GET" ? undefined : Buffer.from(JSON.stringify(login));
  const loginHeaders = Object.entries(given.loginHeaders ?? {}).map(
    ([name, text]) => [name.toLowerCase(), headerText(String(filled(text, variables)))] as const,
  );
  const proofOf = compileCredentials(given, { login, variables, basic });
  return {
    obtain: async () => {
      const answer = await client.send({
        method: loginMethod,
        url,
        headers: {
          accept: "application/json",
          ...(body === undefined ? {} : { "content-type": "application/json", "content-length": String(body.length) }),
          ...basic,
          ...Object.fromEntries(loginHeaders),
        },
        ...(body === undefined ? {} : { body }),
        // Opening a second session does no harm.
        isRepeatable: true,
        // All requests that wait for the session share this one, so none of them may abort it.
        signal: new AbortController().signal,
      });
      return proofOf(answer);
    },
    isRefused: ({ status, headers }) =>
      (given.renewOn ?? [401]).includes(status) ||
      // SAP answers like this if the token is too old.
      (options.kind === "csrf" && status === 403 && /required/i.test(String(headers[csrfHeader(options)] ?? ""))),
    secrets: [
      ...textsIn(login),
      ...(basic.authorization === undefined ? [] : [basic.authorization.slice(6), password]),
    ],
  };
}

const csrfHeader = ({ header }: CsrfOptions): string => (header ?? "X-CSRF-Token").toLowerCase();

/**
 * The login of SAP and OData as a session: the token is requested with a header, and is returned in the same header.
 */
function csrfSession(options: CsrfOptions): SessionOptions {
  const { loginPath, username, password } = options;
  const name = csrfHeader(options);
  return {
    ...{ kind: "session", loginPath, loginMethod: "GET", loginHeaders: { [name]: "Fetch" } },
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    headers: { [name]: `= $lookup($headers, ${JSON.stringify(name)})` },
  };
}

interface CredentialNeeds {
  readonly login: unknown;
  readonly variables: Scope;
  readonly basic: Readonly<Record<string, string>>;
}

/** Reads the headers and cookies of every later request from the answer to a login. */
function compileCredentials(options: SessionOptions, { login, variables, basic }: CredentialNeeds) {
  const { tokenPath, header = "authorization", prefix, lifetimeSeconds } = options;
  const refusals = (options.loginFailedWhen ?? []).map(compileCondition);
  const fixed = Object.entries(options.headers ?? {}).map(([name, text]) => ({
    name: name.toLowerCase(),
    read: isExpression(text) ? compileAnswerExpression(text) : async () => filled(text, variables),
  }));
  const lifetimeOf =
    typeof lifetimeSeconds === "string" ? compileAnswerExpression(lifetimeSeconds) : async () => lifetimeSeconds;

  return async (answer: Answer): Promise<NewCredentials> => {
    const { status } = answer;
    const read = readAnswer(answer);
    const judged = judgedAnswer(answer, read);
    if (status < 200 || status >= 300) throw refused(`status ${status}`, status);
    if (await anyMatches(refusals, judged)) throw refused("its answer says so", status);
    const cookies = (answer.headers["set-cookie"] ?? []).flatMap((line) => line.split(";")[0]?.trim() || []);
    const values = cookies.map((cookie) => cookie.slice(cookie.indexOf("=") + 1));
    const known = { ...judged, more: { login, variables, cookies: Object.fromEntries(cookies.map(pairOf)) } };
    const headers: Record<string, string> = { ...basic };
    const secrets = [...values];
    if (tokenPath !== undefined) {
      const found = memberAt(read.json, tokenPath);
      if (typeof found !== "string" || found === "") throw refused(`its answer has no ${tokenPath}`, status);
      // This header needs a scheme before the token, and nearly every system expects "Bearer".
      const word = prefix ?? (header.toLowerCase() === "authorization" ? "Bearer" : "");
      headers[header.toLowerCase()] = headerText(word === "" ? found : `${word} ${found}`);
      secrets.push(found);
    }
    for (const { name, read: value } of fixed) {
      const made = await value(known).catch((error: unknown) => {
        throw refused(`the expression of its header ${name} failed: ${String(error)}`, status);
      });
      if (typeof made !== "string" || made === "") throw refused(`its answer gives no header ${name}`, status);
      headers[name] = headerText(made);
      secrets.push(made, ...made.split(/\s+/).slice(1));
    }
    if (cookies.length > 0) headers["cookie"] = cookies.join("; ");
    else if (tokenPath === undefined && fixed.length === 0) throw refused("its answer has no cookie", status);
    // If the lifetime is unknown, the session is used until it is refused.
    const seconds = Number((await lifetimeOf(known).catch(() => undefined)) ?? Number.NaN);
    return { credentials: { headers, query: {} }, lifetimeMs: seconds > 0 ? seconds * 1000 : null, secrets };
  };
}

const pairOf = (cookie: string): readonly [string, string] => [
  cookie.slice(0, cookie.indexOf("=")),
  cookie.slice(cookie.indexOf("=") + 1),
];

const isExpression = (text: string): boolean => /^\s*=/.test(text);

const refused = (reason: string, status: number): Fault =>
  new Fault("unreachable", `the login was refused: ${reason}; check user name and password`, { answer: { status } });

/**
 * Fills the connector's variables into texts. A text with any other name in braces stays unchanged, because it may be a
 * password.
 */
function filled(value: unknown, variables: Scope): unknown {
  if (typeof value === "string") {
    const { names, value: fill } = template(value);
    return names.length > 0 && names.every((name) => Object.hasOwn(variables, name)) ? fill(variables) : value;
  }
  if (Array.isArray(value)) return value.map((one) => filled(one, variables));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, variables)]));
}

/** Returns all texts of a login, because each may be the password. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
