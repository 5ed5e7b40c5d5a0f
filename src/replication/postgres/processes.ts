import type { Client } from "pg";
import { schema } from "./open-client.ts";

/** A process that serves many deployments, as other processes see it. */
export interface ServingProcess {
  readonly name: string;
  /** How many deployments it should own, compared with others; 0 if it is about to stop. */
  readonly weight: number;
  /** The deployments that the process could take over at once. */
  readonly warm: readonly string[];
  /** The deployments that the process follows, of which it has every change. */
  readonly follows: readonly string[];
  /** The deployments that a person gave to the process. */
  readonly taken: readonly TakenDeployment[];
  /** The deployments that others serve and of which this process has no configuration. */
  readonly lacks: readonly string[];
  /** The host names of the deployments that it owns and that have such names. */
  readonly hosts: readonly { readonly name: string; readonly hosts: readonly string[] }[];
  /** Its address, without a base path; null if it does not listen yet, or is of an earlier version. */
  readonly url: string | null;
}

/** A deployment that a person gave to a process. Of several processes that were given it, the highest number counts. */
export interface TakenDeployment {
  readonly name: string;
  readonly number: number;
}

/**
 * Everything but the warm deployments is a text of a form of its own in the column `warm`. No name begins with these
 * marks, so older programs do not find such a deployment there, or take it for a followed one of an odd name. A column
 * of its own would lock them out while processes are upgraded one after the other.
 */
const onlyFollowed = "?";
const forms = { taken: /^\?!(\d+) (.+)$/, lacks: /^\?~(.+)$/, hosts: /^\?#(\S+) (.+)$/, url: /^\?@(.+)$/ };

const textsOf = ({ warm, follows, taken, lacks, hosts, url }: ServingProcess): string[] => [
  ...warm,
  ...follows.map((name) => `${onlyFollowed}${name}`),
  ...taken.map(({ name, number }) => `?!${number} ${name}`),
  ...lacks.map((name) => `?~${name}`),
  ...hosts.map((one) => `?#${one.hosts.join(",")} ${one.name}`),
  ...(url === null ? [] : [`?@${url}`]),
];

function processOf({ name, weight, warm }: Row): ServingProcess {
  const found = (form: RegExp) =>
    warm.flatMap((text) => {
      const [, first, second = ""] = form.exec(text) ?? [];
      return first === undefined ? [] : [[first, second] as const];
    });
  const names = warm.filter((text) => !Object.values(forms).some((form) => form.test(text)));
  return {
    ...{ name, weight },
    warm: names.filter((one) => !one.startsWith(onlyFollowed)),
    follows: names.map((one) => (one.startsWith(onlyFollowed) ? one.slice(onlyFollowed.length) : one)),
    taken: found(forms.taken).map(([number, deployment]) => ({ name: deployment, number: Number(number) })),
    lacks: found(forms.lacks).map(([deployment]) => deployment),
    hosts: found(forms.hosts).map(([hosts, deployment]) => ({ name: deployment, hosts: hosts.split(",") })),
    url: found(forms.url)[0]?.[0] ?? null,
  };
}

interface Row {
  readonly name: string;
  readonly weight: number;
  readonly warm: readonly string[];
}

/** A process that was not seen for this long does not count; its leases are over by then. */
const aliveMs = 3_000;

/** Reports that this process is alive, and returns all that are, by PostgreSQL's clock. */
export async function reportProcess(client: Client, own: ServingProcess): Promise<ServingProcess[]> {
  await client.query(
    `INSERT INTO ${schema}.process (name, weight, warm, seen) VALUES ($1, $2, $3, now())
     ON CONFLICT (name) DO UPDATE SET weight = $2, warm = $3, seen = now()`,
    [own.name, own.weight, textsOf(own)],
  );
  const { rows } = await client.query<Row>(
    `WITH gone AS (DELETE FROM ${schema}.process WHERE seen < now() - interval '1 day') ${livingProcesses}`,
    [aliveMs],
  );
  return rows.map(processOf);
}

const livingProcesses = `SELECT name, weight, warm FROM ${schema}.process
  WHERE seen > now() - $1 * interval '1 ms' ORDER BY name`;

/** A deployment that one of the processes owns. */
export interface ServedDeployment {
  readonly name: string;
  readonly owner: string;
  /** With the base path of the deployment. */
  readonly ownerUrl: string;
}

/** Returns what the processes own that serve many deployments. Each is named as the beginning of its owner, up to a slash. */
export async function servedDeployments(client: Client): Promise<ServedDeployment[]> {
  const { rows } = await client.query<{ name: string; owner: string; owner_url: string }>(
    `SELECT d.name, d.owner, d.owner_url FROM ${schema}.deployment d
     JOIN ${schema}.process p ON p.name = split_part(d.owner, '/', 1) AND p.seen > now() - $1 * interval '1 ms'
     WHERE d.lease_until > now() AND d.owner_url IS NOT NULL AND d.side_of IS NULL ORDER BY d.name`,
    [aliveMs],
  );
  return rows.map(({ name, owner, owner_url }) => ({ name, owner, ownerUrl: owner_url }));
}

/** What the processes serve together, without reporting one. Nothing is there before the first of them has started. */
export async function servedTogether(
  client: Client,
): Promise<{ readonly processes: readonly ServingProcess[]; readonly served: readonly ServedDeployment[] }> {
  const known = await client.query<{ found: string | null }>("SELECT to_regclass($1)::text AS found", [
    `${schema}.process`,
  ]);
  if (known.rows[0]?.found == null) return { processes: [], served: [] };
  const { rows } = await client.query<Row>(livingProcesses, [aliveMs]);
  return { processes: rows.map(processOf), served: await servedDeployments(client) };
}

/** Removes a process, so that the others need not wait until it counts as failed. */
export async function removeProcess(client: Client, name: string): Promise<void> {
  await client.query(`DELETE FROM ${schema}.process WHERE name = $1`, [name]);
}
