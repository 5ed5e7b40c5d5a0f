import { derivedEventIds } from "../../contract/derived-events.ts";
import type { QueryId } from "../../contract/operations.ts";
import { openAuth } from "../../http-client/auth/open-auth.ts";
import { authorisedClient, httpClient, recordingClient, staticHeaders } from "../../http-client/http-client.ts";
import { type Network, proxySecrets, systemNetwork } from "../../http-client/network/proxy-choice.ts";
import { masker, type Redact, redactor } from "../../http-client/redact.ts";
import { tracedClient } from "../../http-client/traced-client.ts";
import { circuitBreaker } from "../../kit/circuit-breaker.ts";
import { Fault } from "../../operation/fault.ts";
import {
  type DerivedEvents,
  defineConnector,
  derivedOffer,
  type Events,
  type OpenConnector,
  type OpenContext,
  offeredAmong,
  type Queries,
} from "../../sdk/connector.ts";
import { pollName } from "../../sdk/intake.ts";
import { type EventOptions, offeredEvents, offeredQueries, type QueryOptions } from "./options/operation-options.ts";
import { type HttpOptions, httpOptions, type PollOptions, settingsOf, withPreset } from "./options/options.ts";
import { isPickedFromAll, validateOptions } from "./options/validate-options.ts";
import { openPoll } from "./poll.ts";
import { imageAddresses } from "./queries/image-addresses.ts";
import { openQuery, previewOf, type Query } from "./queries/run-query.ts";
import { guardedCaller, plainCaller, requestPlan } from "./request-plan.ts";
import { dryRunEvent, openEvent } from "./send-event.ts";
import { workbench } from "./workbench.ts";

export interface HttpNeeds extends OpenContext, Network {}

/**
 * An external system with a web interface: queries are forwarded, events are sent, and lists are polled if configured.
 */
export function openHttp(options: HttpOptions, context: HttpNeeds): OpenConnector {
  const { clock, log, timers, connectorState, dates, resolve, environment, tracing } = context;
  const settings = settingsOf(options);
  const baseUrl = new URL(settings.baseUrl);
  const { allowHosts, allowPrivate, proxy, tls, timeouts, limits } = settings;
  const maxAnswerBytes = limits.maxAnswerMiB * 1024 * 1024;
  const network = { proxy, resolve, environment };
  const connection = { allowHosts, allowPrivate, tls, timeouts, maxAnswerBytes, decodes: true, ...network };
  const bare = httpClient({ ...connection, url: baseUrl });
  const auth = openAuth(settings.auth ?? { kind: "none" }, {
    ...{ clock, client: tracedClient(bare, tracing), baseUrl, connection },
    variables: settings.variables ?? {},
  });
  const mask = (text: string) => masker(secrets())(text);
  Object.defineProperty(mask, "longest", { get: () => masker(secrets()).longest });
  const recording = recordingClient(bare, mask);
  const client = authorisedClient(tracedClient(recording, tracing), auth);
  const headers = staticHeaders(settings.headers ?? {});
  const known = [...Object.values(settings.variables ?? {}).map(String), ...proxySecrets(proxy)];
  // Computed for each text: tokens and sessions change, and texts with secrets to remove are rare.
  const secrets = () => ({ values: [...known, ...auth.secrets()], headers: settings.headers ?? {}, url: baseUrl });
  const redact: Redact = (text) => redactor(secrets())(text);

  const call = plainCaller(client, redact);
  const query = guardedCaller(call, circuitBreaker({ clock, concurrency: 1 }));
  const images = imageAddresses({
    ...{ baseUrl, hosts: settings.imageHosts ?? [], call: query, headers, redact },
    connection: { allowPrivate, timeouts, maxAnswerBytes, decodes: true, ...network },
  });
  const imageAt = images.fetch;
  const bench = workbench({ settings, baseUrl, headers, clock, dates, redact, call, query, imageAt });
  const given = settings.operations ?? {};
  const described = offeredQueries.flatMap((id) => {
    const own: QueryOptions | undefined = given[id];
    return own === undefined ? [] : [{ id, own, isSearched: !isPickedFromAll(id, own) }];
  });
  const queries = new Map<QueryId, Query>(
    described.map(({ id, own, isSearched }) => [id, openQuery(id, own, bench, { isSearched })]),
  );
  const costly = described.flatMap(({ id, isSearched }) => (isSearched ? [] : [pickedFromAll(id)]));
  const events = offeredEvents.flatMap((id) => {
    const own: EventOptions | undefined = given[id];
    return own === undefined ? [] : [[id, openEvent(id, own, bench)] as const];
  });
  const derived = derivedEventIds.flatMap((id) => {
    const own: EventOptions | undefined = given[id];
    return own === undefined ? [] : [[id, openEvent(id, own, bench)] as const];
  });
  const notice = settings.notices === undefined ? undefined : openEvent(null, settings.notices, bench);
  const dryRunNotice: OpenConnector["dryRunNotice"] = async (_topic, payload, call) =>
    settings.notices === undefined ? [] : dryRunEvent({ id: null, options: settings.notices, bench }, payload, call);
  const polls = (settings.poll ?? []).map((own) => openPoll(own, { bench, timers, connectorState, log, tracing }));

  const previewed = [
    ...[...queries]
      .filter(([id]) => id === "listWorkOrders")
      .map(([serves, { fetch, mapper }]) => ({
        path: ["operations", serves],
        serves,
        fetch,
        mapper,
        scope: () => bench.scope(undefined),
        extra: () => ({}),
      })),
    ...polls.map(({ options: { topic: serves, since }, fetch, mapper, place, changedMs }, index) => ({
      path: ["poll", index],
      changedAt: since?.path,
      changedMs,
      serves,
      fetch,
      mapper,
      scope: () => ({ ...bench.scope(undefined), since: place().since }),
      extra: () => place().extra,
    })),
  ];

  return {
    // Each operation has its own input and outcome type; a table of all operations cannot express that.
    operations: Object.fromEntries([
      ...[...queries].map(([id, { answer }]) => [id, answer] as const),
      ...events,
    ]) as Queries & Events,
    // As above: each has its own input type.
    ...(derived.length === 0 ? {} : { derived: Object.fromEntries(derived) as DerivedEvents }),
    ...(notice === undefined ? {} : { notices: (_topic, payload, call) => notice(payload, call) }),
    ...(polls.length === 0
      ? {}
      : {
          source: {
            start: (intake) => {
              for (const warning of pollWarnings(settings.poll ?? []))
                log.warn({ warning }, "a poll setting is allowed but probably not meant");
              const running = polls.map(({ run, options: { topic } }, index) => run(intake, pollName(index, topic)));
              return { stop: async () => void (await Promise.all(running.map(({ stop }) => stop()))) };
            },
          },
        }),
    warnings: [...costly, ...pollWarnings(settings.poll ?? [])],
    dryRun: (id, input, context) => {
      const own: EventOptions | undefined = given[id];
      return own === undefined ? Promise.resolve([]) : dryRunEvent({ id, options: own, bench }, input, context);
    },
    ...(settings.notices === undefined ? {} : { dryRunNotice }),
    preview: (limit, onRecord) => previewOf(previewed, { limit, signal: new AbortController().signal, onRecord }),
    check: async () => {
      const path = settings.checkPath ?? "/";
      const plan = requestPlan({ request: { path }, baseUrl, method: "GET", headers });
      const request = plan.fill(bench.scope(undefined));
      const answer = await call({ ...request, signal: new AbortController().signal }).catch((error: unknown) => {
        throw error instanceof Fault ? withAdvice(error) : error;
      });
      const advice = statusAdvice(answer.status);
      if (advice !== null) throw new Fault("unreachable", advice, { answer: { status: answer.status } });
    },
    close: async () => {
      images.close();
      client.close();
    },
  };
}

// The texts say "its address" because the setting is `baseUrl` in a connector and `url` in a forward request.
const byCode: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, "the host name cannot be resolved: check the host in its address, and DNS on this machine"],
  [/ECONNREFUSED/, "the connection was refused: check the port in its address, and whether the system is running"],
  [/EHOSTUNREACH|ENETUNREACH/, "the network cannot be reached: check VPN and routing"],
  [/ECONNRESET|EPIPE/, "the connection was cut: check whether it must be https, and what a firewall allows"],
  [/CERT_HAS_EXPIRED/, "its certificate has expired: have it renewed"],
  [/ERR_TLS_CERT_ALTNAME_INVALID/, "its certificate is for another name: use that name in its address"],
  [
    /SELF_SIGNED|UNABLE_TO_|DEPTH_ZERO|CERT_/,
    "its certificate is not trusted: set tls.ca to the certificate of its issuer",
  ],
  [/EPROTO|ERR_SSL|WRONG_VERSION/, "it does not use TLS on that port: check whether its address must begin with http"],
  [/within \d+ ms/, "it does not answer in time: check firewall and load, or raise timeouts"],
];

/** The fault, with advice on what to do next. */
function withAdvice(fault: Fault): Fault {
  const codes = codesOf(fault).join(" ");
  const advice = byCode.find(([pattern]) => pattern.test(codes))?.[1];
  return advice === undefined
    ? fault
    : new Fault(fault.kind, `${fault.message}; ${advice}`, { cause: fault, answer: fault.answer });
}

function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const own = "code" in error ? [String(error.code)] : [];
  const inner = error instanceof AggregateError ? error.errors.flatMap(codesOf) : [];
  return [...own, error.message, ...inner, ...codesOf(error.cause)];
}

/** What a status of the connection test means; null if it is good. */
function statusAdvice(status: number): string | null {
  if (status === 401 || status === 407) return `the login was refused (status ${status}): check auth`;
  if (status === 403) return "the login is valid but lacks permission (status 403): give its user the right to read";
  if (status >= 300 && status < 400) return `it redirects (status ${status}): configure the final address`;
  return status >= 500 ? `it reports an internal error (status ${status}): check its log` : null;
}

/** Warnings about records that a poll may miss because of how it is configured. */
function pollWarnings(polls: readonly PollOptions[]): string[] {
  return polls.flatMap(({ topic, since, page, compareEveryHours, ignoreOwn, lineKey }) => {
    const found: string[] = ignoreOwn === true && lineKey === undefined ? [unstableIds(topic)] : [];
    if (since === undefined) return found;
    if (page?.by === "offset" || page?.by === "page") {
      found.push(
        `poll of ${topic}: a record that changes while pages are read by ${page.by} moves to another page and may be missed until the next full comparison; sort by a field that never changes, or page by cursor`,
      );
    }
    if (compareEveryHours === 0) found.push(neverCompared(topic));
    return found;
  });
}

const pickedFromAll = (id: QueryId) =>
  `operations.${id}: the request does not use {Code}, so every scan fetches the whole list with all its pages, and the scanned order is picked from it; put {Code} into the request if the system can search`;

const unstableIds = (topic: string) =>
  `poll of ${topic}: with \`ignoreOwn\` a line that gets a new id when it is split or planned again counts as another line; set \`lineKey\` to what stays the same, or to [requestExternalIdentifier] if ids never change`;

const neverCompared = (topic: string) =>
  `poll of ${topic}: with \`compareEveryHours: 0\` a record that is committed later than \`overlapSeconds\` is never seen`;

/** Any external system with a web interface: queries and events become HTTP requests, lists are polled. */
export const http = defineConnector({
  type: "http",
  summary: "Sends queries and events to an external system by HTTP requests that the configuration describes.",
  options: httpOptions,
  complete: withPreset,
  validate: (options) => validateOptions(options),
  offers: (options) => {
    const { operations = {}, notices, poll = [] } = settingsOf(options);
    return {
      operations: offeredAmong(operations),
      takesNotices: notices !== undefined,
      bringsIn: poll.length > 0,
      ...derivedOffer(operations),
    };
  },
  open: (options, context) => openHttp(options, { ...context, ...systemNetwork }),
});
