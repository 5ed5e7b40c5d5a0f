import { rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathSegment } from "../../contract/admin/path-segment.ts";
import { errorCode } from "../../kit/narrow.ts";
import { maskMembers } from "../../operation/secrets/mask-members.ts";
import {
  type AdminClient,
  actingPerson,
  adminClient,
  KeyRefused,
  neededReason,
  personOptions,
} from "../admin-client.ts";
import { CommandFailure, defineCommand, type Terminal } from "../command.ts";
import { adapterOptions, findAdapter, withAdapter } from "../find-adapter.ts";

export const supportBundleCommand = defineCommand({
  name: "support-bundle",
  summary: "collect what helps to find a fault, without secrets and people",
  details:
    "With an order: its lines, timeline, entries and what was sent and answered. Without one: the findings of the doctor, the configuration, " +
    "the state of every connector, what is not delivered and why, and how much is logged; what a stopped adapter cannot say is left out. " +
    "Secrets, names, addresses and free texts are masked. Read it before you pass it on.",
  arguments: [{ name: "order", description: "number of an order; absent: the adapter as a whole", isOptional: true }],
  options: {
    out: { value: "FILE", description: "write it there, readable for you alone (else standard output)" },
    reason: { value: "TEXT", description: "with an order: why; kept in the audit" },
    config: { value: "FILE", description: "configuration file (else CROSSDOCK_CONFIG, else crossdock.yaml)" },
    ...personOptions,
    ...adapterOptions,
  },
  examples: [
    { command: "crossdock support-bundle --out bundle.json", does: "the adapter as a whole" },
    {
      command: 'crossdock support-bundle 4711 --reason "ticket 12" --out 4711.json',
      does: "everything about order 4711",
    },
  ],
  run: async ({ arguments: { order }, options, terminal }) => {
    const made = order === "" ? await wholeBundle(options, terminal) : await orderBundle(order, options, terminal);
    const text = `${JSON.stringify(made, null, 2)}\n`;
    if (options.out === undefined) terminal.print(text.trimEnd());
    else {
      const file = resolve(terminal.cwd, options.out);
      try {
        writeFileSync(file, text, { mode: 0o600, flag: "wx" });
      } catch (error) {
        const doesExist = errorCode(error) === "EEXIST";
        // A part of it would be taken for the whole.
        if (!doesExist) rmSync(file, { force: true });
        throw new CommandFailure(
          `${options.out} cannot be written: ${error instanceof Error ? error.message : error}`,
          { next: doesExist ? "choose another name" : "choose a folder with room, in which this user may write" },
        );
      }
      terminal.print(`${file}: ${Math.ceil(text.length / 1024)} KiB. Read it before you pass it on.`);
    }
    return "ok";
  },
});

type Options = Readonly<Record<"url" | "data" | "config" | "reason" | "as", string | undefined>>;

function orderBundle(order: string, options: Options, terminal: Terminal): Promise<object> {
  const body = { operator: actingPerson(options.as), reason: neededReason(options.reason, "a bundle of an order") };
  const path = `/admin/orders/${pathSegment(order)}/bundle`;
  return withAdapter(options, terminal, (client) => client.post<object>(path, body));
}

const routes = {
  overview: "/admin/overview",
  targets: "/admin/targets",
  deliveries: "/admin/deliveries",
  figures: "/admin/figures?range=24h",
  log: "/admin/log",
  configuration: "/admin/config",
} as const;

async function wholeBundle(options: Options, terminal: Terminal): Promise<object> {
  const [{ loadConfig }, { runDoctor }, { versionInfo }, { secretMask }, { scrubText }, { lastVersion }] =
    await Promise.all([
      import("../../config/load-config.ts"),
      import("../../app/doctor/run-doctor.ts"),
      import("../../app/version-info.ts"),
      import("../../config/document/resolve-text.ts"),
      import("../../engine/journal-view/support/support-bundle.ts"),
      import("../../app/upgrade/last-version.ts"),
    ]);
  const { env, cwd } = terminal;
  const load = (how: { withoutSecrets?: boolean } = {}) =>
    loadConfig({ file: options.config, options: { data: options.data }, env, cwd, ...how });
  const secrets = secretMask();
  // If the configuration cannot be read, the bundle still has the findings of the doctor, which say why.
  await load().then(
    ({ config, redact }) => secrets.learn(config, redact),
    () => {},
  );
  const { dataFolder, adapter } = await findAdapter(options, terminal);
  const whole = {
    format: "crossdock-support-bundle-adapter-1",
    madeAt: new Date().toISOString(),
    version: versionInfo().version,
    dataOf: lastVersion(dataFolder),
    machine: { platform: process.platform, arch: process.arch, node: process.versions.node },
    doctor: await runDoctor({ load, now: Date.now }),
    adapter: adapter === null ? null : await answersOf(adminClient(adapter)),
  };
  const people = withoutPeople(usersIn(whole.adapter?.["configuration"]));
  // The members of a bundle are our own, and what they are called says nothing about people: each text is scrubbed for
  // itself. Otherwise nobody could read what the doctor found, because a finding has a `text`. An object stays an object.
  return maskMembers(whole, (text) => people(scrubText(secrets.mask(text)))) as object;
}

/** The names of the people who may use the console, as the adapter shows its settings. */
function usersIn(configuration: unknown): string[] {
  const paths = [...JSON.stringify(configuration ?? null).matchAll(/\["console","users",("(?:[^"\\]|\\.)+")/g)];
  // Each is a text of a JSON document.
  return [...new Set(paths.map(([, name = '""']) => JSON.parse(name) as string))];
}

/** Replaces people in a text. They can still be told apart. */
function withoutPeople(people: readonly string[]): (text: string) => string {
  const names = people.map((person) => {
    // Inside other words or numbers a name means something else.
    const escaped = person.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, "gu");
  });
  return (text) => names.reduce((rest, name, index) => rest.replaceAll(name, `person ${index + 1}`), text);
}

async function answersOf(client: AdminClient): Promise<Record<string, unknown>> {
  let refused: KeyRefused | null = null;
  const query = async (path: string): Promise<unknown> => {
    try {
      if (refused === null) return await client.get<unknown>(path);
    } catch (error) {
      if (!(error instanceof KeyRefused)) return `not available: ${(error as Error).message}`;
      refused = error;
    }
    return `not available: ${refused.message}; ${refused.next}`;
  };
  const answers: Record<string, unknown> = {};
  // One after another: a wrong key is told once, and not as often as there are routes.
  for (const [name, path] of Object.entries(routes)) answers[name] = await query(path);
  return answers;
}
