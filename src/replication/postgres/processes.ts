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
}

/** A deployment that a person gave to a process. Of several processes that were given it, the highest number counts. */
export interface TakenDeployment {
  readonly name: string;
  readonly number: number;
}

/**
 * Marks a deployment in the column `warm` that is only followed. No name begins with it, so older programs do not find
 * such a deployment there. A column of its own would lock them out while processes are upgraded one after the other.
 */
const onlyFollowed = "?";
/** Marks a deployment there that a person gave to the process. Older programs take it for a followed one of an odd name. */
const takenForm = /^\?!(\d+) (.+)$/;
const takenText = ({ name, number }: TakenDeployment) => `?!${number} ${name}`;

/** Reports that this process is alive, and returns all that are, by PostgreSQL's clock. */
export async function reportProcess(
  client: Client,
  { name, weight, warm, follows, taken }: ServingProcess,
  aliveMs: number,
): Promise<ServingProcess[]> {
  await client.query(
    `INSERT INTO ${schema}.process (name, weight, warm, seen) VALUES ($1, $2, $3, now())
     ON CONFLICT (name) DO UPDATE SET weight = $2, warm = $3, seen = now()`,
    [name, weight, [...warm, ...follows.map((one) => `${onlyFollowed}${one}`), ...taken.map(takenText)]],
  );
  const { rows } = await client.query<{ name: string; weight: number; warm: string[] }>(
    `WITH gone AS (DELETE FROM ${schema}.process WHERE seen < now() - interval '1 day')
     SELECT name, weight, warm FROM ${schema}.process WHERE seen > now() - $1 * interval '1 ms' ORDER BY name`,
    [aliveMs],
  );
  return rows.map((row) => {
    const known = row.warm.filter((one) => !takenForm.test(one));
    return {
      name: row.name,
      weight: row.weight,
      warm: known.filter((one) => !one.startsWith(onlyFollowed)),
      follows: known.map((one) => (one.startsWith(onlyFollowed) ? one.slice(onlyFollowed.length) : one)),
      taken: row.warm.flatMap((one) => {
        const [, number, deployment] = takenForm.exec(one) ?? [];
        return deployment === undefined ? [] : [{ name: deployment, number: Number(number) }];
      }),
    };
  });
}

/** Removes a process, so that the others need not wait until it counts as failed. */
export async function removeProcess(client: Client, name: string): Promise<void> {
  await client.query(`DELETE FROM ${schema}.process WHERE name = $1`, [name]);
}
