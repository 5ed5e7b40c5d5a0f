import type { AskId } from "../../contract/operations.ts";
import { circuitBreaker } from "../../kit/circuit-breaker.ts";
import type { Asks, OpenConnector, OpenContext, Tells } from "../../sdk/connector.ts";
import { Fault } from "../../sdk/fault.ts";
import { openAuth } from "../../sdk/http/auth/open-auth.ts";
import { authorisedClient } from "../../sdk/http/authorised-client.ts";
import { httpClient } from "../../sdk/http/http-client.ts";
import { proxySecrets } from "../../sdk/http/proxy-option.ts";
import { recordingClient } from "../../sdk/http/recording-client.ts";
import { masker, type Redact, redactor } from "../../sdk/http/redact.ts";
import { staticHeaders } from "../../sdk/http/static-headers.ts";
import type { Network } from "../../sdk/http/system-network.ts";
import { statusAdvice, withAdvice } from "./advice.ts";
import { type Ask, openAsk } from "./ask.ts";
import { guardedCaller, plainCaller } from "./caller.ts";
import { dryRunTell } from "./dry-run-tell.ts";
import { type AskOptions, offeredAsks, offeredTells, type TellOptions } from "./operation-options.ts";
import type { HttpOptions } from "./options.ts";
import { openPoll } from "./poll.ts";
import { pollWarnings } from "./poll-warnings.ts";
import { previewOf } from "./preview.ts";
import { requestPlan } from "./request-plan.ts";
import { settingsOf } from "./settings.ts";
import { openTell } from "./tell.ts";
import { workbench } from "./workbench.ts";

export interface HttpNeeds extends OpenContext, Network {}

/** An external system with a web interface: asked as the platform asks, told as the platform tells, polled where configured. */
export function openHttp(options: HttpOptions, context: HttpNeeds): OpenConnector {
  const { clock, log, timers, notebook, dates, resolve, environment } = context;
  const settings = settingsOf(options);
  const baseUrl = new URL(settings.baseUrl);
  const { allowHosts, allowPrivate, proxy, tls, timeouts, limits } = settings;
  const maxAnswerBytes = limits.maxAnswerMiB * 1024 * 1024;
  const network = { proxy, resolve, environment };
  const connection = { allowHosts, allowPrivate, tls, timeouts, maxAnswerBytes, decodes: true, ...network };
  const bare = httpClient({ ...connection, url: baseUrl });
  const auth = openAuth(settings.auth ?? {}, { clock, client: bare, baseUrl, connection });
  const client = authorisedClient(
    recordingClient(bare, (text) => masker(secrets())(text)),
    auth,
  );
  const headers = staticHeaders(settings.headers ?? {});
  const known = [...Object.values(settings.variables ?? {}).map(String), ...proxySecrets(proxy)];
  // Made anew for each text: tokens and sessions change, and texts to be redacted are rare.
  const secrets = () => ({ values: [...known, ...auth.secrets()], headers: settings.headers ?? {}, url: baseUrl });
  const redact: Redact = (text) => redactor(secrets())(text);

  const call = plainCaller(client, redact);
  const ask = guardedCaller(call, circuitBreaker({ clock, concurrency: 1 }));
  const bench = workbench({ settings, baseUrl, headers, clock, dates, redact, call, ask });
  const given = settings.operations ?? {};
  const asks = new Map<AskId, Ask>(
    offeredAsks.flatMap((id) => {
      const own: AskOptions | undefined = given[id];
      return own === undefined ? [] : [[id, openAsk(id, own, bench)] as const];
    }),
  );
  const tells = offeredTells.flatMap((id) => {
    const own: TellOptions | undefined = given[id];
    return own === undefined ? [] : [[id, openTell(id, own, bench)] as const];
  });
  const notice = settings.notices === undefined ? undefined : openTell(null, settings.notices, bench);
  const polls = (settings.poll ?? []).map((own) => openPoll(own, { bench, timers, notebook, log }));

  const previewed = [
    ...[...asks]
      .filter(([id]) => id === "listWorkOrders")
      .map(([serves, { fetch, mapper }]) => ({
        serves,
        fetch,
        mapper,
        scope: () => bench.scope(undefined),
        extra: () => ({}),
      })),
    ...polls.map(({ options: { topic: serves, since }, fetch, mapper, place, changedMs }) => ({
      changedAt: since?.at,
      changedMs,
      serves,
      fetch,
      mapper,
      scope: () => ({ ...bench.scope(undefined), since: place().since }),
      extra: () => place().extra,
    })),
  ];

  return {
    // Each gets the input and gives the outcome of its own row; a list of all of them cannot say that.
    operations: Object.fromEntries([...[...asks].map(([id, { answer }]) => [id, answer] as const), ...tells]) as Asks &
      Tells,
    ...(notice === undefined ? {} : { notices: (_topic, payload, call) => notice(payload, call) }),
    ...(polls.length === 0
      ? {}
      : {
          source: {
            start: (intake) => {
              for (const text of pollWarnings(settings.poll ?? [])) log.warn({}, text);
              const running = polls.map(({ run }) => run(intake));
              return { stop: async () => void (await Promise.all(running.map(({ stop }) => stop()))) };
            },
          },
        }),
    warnings: pollWarnings(settings.poll ?? []),
    dryRun: (id, input, context) => {
      const own: TellOptions | undefined = given[id];
      return own === undefined ? Promise.resolve([]) : dryRunTell({ id, options: own, bench }, input, context);
    },
    preview: (limit) => previewOf(previewed, limit, new AbortController().signal),
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
    close: async () => client.close(),
  };
}
