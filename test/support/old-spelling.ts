/** Writes a configuration in its old spelling: the reverse of `config upgrade`. */

type Members = Record<string, unknown>;

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Renames a member to its old name and keeps its place among the others. */
const renamed = (
  owner: unknown,
  name: string,
  old: string,
  value: (now: unknown) => unknown = (now) => now,
): unknown =>
  isMembers(owner)
    ? Object.fromEntries(Object.entries(owner).map(([key, own]) => (key === name ? [old, value(own)] : [key, own])))
    : owner;
const changed = (owner: unknown, name: string, change: (value: unknown) => unknown): unknown =>
  isMembers(owner) && owner[name] !== undefined ? renamed(owner, name, name, change) : owner;
const every = (owner: unknown, change: (value: unknown) => unknown): unknown =>
  isMembers(owner) ? Object.fromEntries(Object.entries(owner).map(([key, own]) => [key, change(own)])) : owner;
const each = (list: unknown, change: (value: unknown) => unknown): unknown => listOf(list).map(change);

function oldSentAuth(auth: unknown): unknown {
  // `csrf` was added later and never had another spelling.
  if (!isMembers(auth) || auth["kind"] === "none" || auth["kind"] === "csrf") return auth;
  const { kind, ...members } = auth;
  if (kind === "apiKey") return { apiKey: renamed(members, "key", "value") };
  if (kind !== "session") return { [String(kind)]: members };
  const { tokenPath, header, prefix, ...rest } = members;
  const token = tokenPath === undefined ? {} : { token: { at: tokenPath, ...present({ header, prefix }) } };
  return { session: { ...(renamed(rest, "loginPath", "path") as Members), ...token } };
}

const present = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

const oldKinds: Readonly<Record<string, string>> = { apiKey: "key", mtls: "certificate" };
const oldAcceptedAuth = (auth: unknown): unknown =>
  changed(
    changed(auth, "kind", (kind) => oldKinds[String(kind)] ?? kind),
    "users",
    (users) => each(users, (user) => renamed(user, "username", "user")),
  );

function oldConnector(connector: unknown): unknown {
  if (!isMembers(connector)) return connector;
  if (connector["type"] === "files") {
    const incoming = (one: unknown) => renamed(one, "badRecords", "onBad");
    const files = changed(renamed(connector, "location", "at"), "in", (list) => each(list, incoming));
    return changed(files, "sftp", (sftp) => renamed(sftp, "username", "user"));
  }
  if (connector["type"] === "sql") return renamed(renamed(connector, "username", "user"), "readUsername", "readUser");
  if (connector["type"] !== "http") return connector;
  const page = (owner: unknown) => changed(owner, "page", (own) => renamed(own, "path", "at"));
  const poll = (own: unknown) => changed(page(own), "since", (since) => renamed(since, "path", "at"));
  const asked = changed(connector, "operations", (operations) => every(operations, page));
  return changed(
    changed(asked, "poll", (list) => each(list, poll)),
    "auth",
    oldSentAuth,
  );
}

export function inOldSpelling(config: unknown): unknown {
  const forwarded = (topic: unknown) => changed(topic, "request", (request) => changed(request, "auth", oldSentAuth));
  const changes: readonly (readonly [string, (value: unknown) => unknown])[] = [
    ["orders", (orders) => renamed(orders, "badRecords", "invalid")],
    ["files", (files) => renamed(files, "badRecords", "partial", (value) => value === "quarantine")],
    [
      "inbound",
      (list) =>
        each(list, (route) =>
          renamed(route, "badRecords", "onBad", (value) => (value === "quarantine" ? "partial" : value)),
        ),
    ],
    ["connectors", (connectors) => every(connectors, oldConnector)],
    ["senders", (senders) => every(senders, (sender) => changed(sender, "auth", oldAcceptedAuth))],
    [
      "platform",
      (platform) =>
        changed(changed(platform, "auth", oldAcceptedAuth), "forward", (forward) => every(forward, forwarded)),
    ],
    ["alarms", (alarms) => changed(alarms, "expiries", (list) => each(list, (one) => renamed(one, "lastDay", "at")))],
    ["alarms", (alarms) => changed(alarms, "email", (email) => renamed(email, "username", "user"))],
    ["events", (events) => changed(events, "by", (by) => every(by, (name) => (name === "none" ? "nobody" : name)))],
  ];
  return changes.reduce((value, [name, change]) => changed(value, name, change), config);
}
