import type { Client } from "pg";
import { schema } from "./open-client.ts";

/** The secret that only the processes with access to this PostgreSQL know. */
export async function sharedSecret(client: Client): Promise<string> {
  const { rows } = await client.query<{ value: string }>(
    `SELECT value FROM ${schema}.secret WHERE name = 'passing-on'`,
  );
  const value = rows[0]?.value;
  if (value === undefined) throw new Error("the secret of the processes is missing in PostgreSQL");
  return value;
}
