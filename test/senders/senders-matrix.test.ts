import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PushTopic, pushProgressPath, pushRow, pushTopics } from "../../src/contract/pushes.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { authority } from "../support/receivers/certificates.ts";
import { type Shown, senderKinds } from "../support/receivers/sender-kinds.ts";
import { tokenIssuer } from "../support/receivers/token-issuer.ts";
import { newFolder, removeFolder } from "../support/temporary-folder.ts";

/** Every credential at every route with every topic: those that are always there, and those of the configuration. */

const folder = newFolder();
const ours = authority(folder);
const strangers = authority(folder, "strangers");
const server = ours.issue("localhost", { alternatives: "DNS:localhost,IP:127.0.0.1", use: "server" });
const issuer = await tokenIssuer();

const kinds = senderKinds({ ours, strangers, issuer });

/** What the sender of each kind with a scope may push: for each kind another part of the topics. */
const scopeOf = (kind: string): readonly PushTopic[] =>
  pushTopics.filter((_topic, index) => (index + Object.keys(kinds).indexOf(kind)) % 3 === 0);

interface Credential {
  readonly show: (body: string) => Shown | Promise<Shown>;
  /** Who it proves; null: nobody. */
  readonly sender: string | null;
  readonly topics: readonly PushTopic[];
}
const credentials: Readonly<Record<string, Credential>> = {
  "the API key": { show: () => ({ headers: { "x-api-key": apiKey } }), sender: "key", topics: pushTopics },
  nothing: { show: () => ({}), sender: null, topics: [] },
  ...Object.fromEntries(
    Object.entries(kinds).flatMap(
      ([kind, { show }]) =>
        [
          [
            `${kind}, everything`,
            { show: (body) => show(`${kind}-all`, body), sender: `${kind}-all`, topics: pushTopics },
          ],
          [
            `${kind}, some`,
            { show: (body) => show(`${kind}-some`, body), sender: `${kind}-some`, topics: scopeOf(kind) },
          ],
          [`${kind}, switched off`, { show: (body) => show(`${kind}-off`, body), sender: `${kind}-off`, topics: [] }],
          [`${kind}, wrong`, { show: (body) => show(`${kind}-nobody`, body), sender: null, topics: [] }],
        ] satisfies [string, Credential][],
    ),
  ),
};

interface Route {
  readonly path: string;
  readonly topic: PushTopic;
  /** Who may use it besides the API key; null: whoever may push the topic. */
  readonly senders: readonly string[] | null;
}
const routes: readonly Route[] = pushTopics.flatMap((topic) => [
  { path: pushRow(topic).path, topic, senders: null },
  { path: `/hooks/${topic}`, topic, senders: null },
  ...Object.keys(kinds).map((kind) => {
    const senders = [`${kind}-all`, ...(scopeOf(kind).includes(topic) ? [`${kind}-some`] : [])];
    return { path: `/hooks/${topic}/of-${kind}`, topic, senders };
  }),
]);

const config = {
  platform: { tls: { cert: server.cert, key: `file:${server.key}`, clientCa: ours.file } },
  // Each request from an address of its own: after some failures from one, only waiting is the answer.
  trustProxy: ["127.0.0.0/8"],
  senders: Object.fromEntries(
    Object.entries(kinds).flatMap(([kind, { auth }]) => [
      [`${kind}-all`, { auth: auth(`${kind}-all`) }],
      [`${kind}-some`, { auth: auth(`${kind}-some`), topics: scopeOf(kind) }],
      [`${kind}-off`, { auth: auth(`${kind}-off`), enabled: false }],
    ]),
  ),
  inbound: routes
    .filter(({ path }) => path.startsWith("/hooks/"))
    .map(({ path, topic, senders }) => ({ path, topic, ...(senders === null ? {} : { sender: senders }) })),
};

let adapter: Awaited<ReturnType<typeof startAdapter>>;
beforeAll(async () => {
  adapter = await startAdapter({ config, onFinished: () => {} });
});
afterAll(async () => {
  for (const agent of agents.values()) agent.destroy();
  await adapter.close();
  issuer.close();
  removeFolder(folder);
});

const ca = readFileSync(ours.file);
const agents = new Map<string, Agent>();
function agentWith(certificate: Shown["certificate"]): Agent {
  const name = certificate?.cert ?? "";
  const files =
    certificate === undefined ? {} : { cert: readFileSync(certificate.cert), key: readFileSync(certificate.key) };
  const agent = agents.get(name) ?? new Agent({ keepAlive: true, ca, ...files });
  agents.set(name, agent);
  return agent;
}

let calls = 0;
function call(method: "GET" | "POST", path: string, { headers = {}, certificate }: Shown, body = "") {
  calls += 1;
  const from = `10.${calls >> 16}.${(calls >> 8) & 255}.${calls & 255}`;
  const all = { "content-type": "application/json", "x-forwarded-for": from, ...headers };
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request(adapter.url + path, { agent: agentWith(certificate), method, headers: all }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

let pushed = 0;
const bodies: Readonly<Record<PushTopic, (number: string) => object>> = {
  workOrders: (number) => ({ number, dueDate: "2030-01-01", requests: [{ itemNumber: "A", requestedAmount: 2 }] }),
  cancellations: (number) => ({ workOrderNumber: number }),
  items: (number) => ({ number, name: "Drill" }),
  stock: (number) => ({ itemNumber: number, amount: 3 }),
  indexableValues: (number) => ({ workOrderNumber: number, value: "T-7" }),
};
const bodyOf = (topic: PushTopic) => JSON.stringify(bodies[topic](`N-${++pushed}`));

function expectedAt({ topic, senders }: Route, { sender, topics }: Credential): 202 | 401 | 403 {
  if (sender === null) return 401;
  if (!topics.includes(topic)) return 403;
  return senders === null || sender === "key" || senders.includes(sender) ? 202 : 403;
}

const latest = async (): Promise<{ seq: number; sender: string | null } | undefined> => {
  const { text } = await call("GET", "/admin/journal?limit=1", { headers: { "x-api-key": apiKey } });
  return (JSON.parse(text) as { entries: { seq: number; sender: string | null }[] }).entries[0];
};

describe.each(Object.entries(credentials))("%s", (_name, credential) => {
  test("is taken at the routes and for the topics it is meant for, and nowhere else", async () => {
    const before = (await latest())?.seq ?? 0;
    const expected = routes.map((route) => [route.path, expectedAt(route, credential)]);
    const found: [string, number][] = [];
    for (const { path, topic } of routes) {
      const body = bodyOf(topic);
      found.push([path, (await call("POST", path, await credential.show(body), body)).status]);
    }
    expect(found).toEqual(expected);
    // Stored is what was answered so, under the name of whoever proved it, and nothing else.
    const taken = expected.filter(([, status]) => status === 202).length;
    const last = await latest();
    expect((last?.seq ?? 0) - before).toBe(taken);
    if (taken > 0) expect(last?.sender).toBe(credential.sender);
  });

  test("learns what became of pushes of its topics, and nothing of others", async () => {
    const found: [PushTopic, number][] = [];
    const expected: [PushTopic, number][] = [];
    for (const topic of pushTopics) {
      const body = bodyOf(topic);
      const { text } = await call("POST", pushRow(topic).path, { headers: { "x-api-key": apiKey } }, body);
      const [id = ""] = (JSON.parse(text) as { ids: string[] }).ids;
      found.push([topic, (await call("GET", pushProgressPath.replace("{id}", id), await credential.show(""))).status]);
      const isOff = credential.sender?.endsWith("-off") ?? false;
      const isTheirs = credential.topics.includes(topic);
      expected.push([topic, credential.sender === null ? 401 : isOff ? 403 : isTheirs ? 200 : 404]);
    }
    expect(found).toEqual(expected);
  });
});

test("it is the whole matrix: every kind with all, some, no and wrong rights, every topic, every sort of route", () => {
  expect(Object.keys(credentials)).toHaveLength(2 + 4 * Object.keys(kinds).length);
  expect(routes).toHaveLength(pushTopics.length * (2 + Object.keys(kinds).length));
  const cells = Object.values(credentials).flatMap((one) => routes.map((route) => expectedAt(route, one)));
  for (const status of [202, 401, 403]) expect(cells.filter((one) => one === status).length).toBeGreaterThan(100);
});
