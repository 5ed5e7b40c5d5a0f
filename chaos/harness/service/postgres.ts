import { chmodSync } from "node:fs";
import { openClient } from "../../../src/replication/postgres/open-client.ts";
import { peer } from "../../../test/peers/postgres.ts";
import type { Stage } from "../stage.ts";

/** A real PostgreSQL for one scenario alone. */
export interface ChaosPostgres {
  /** The address, as a deployment's setting `store`. */
  readonly url: string;
  readonly restart: () => Promise<void>;
  readonly run: (...statements: string[]) => Promise<void>;
}

export async function startPostgres(stage: Stage): Promise<ChaosPostgres> {
  const folder = stage.folder("postgres");
  // If the test runs as root, the server runs as another user, who needs access.
  for (const each of [folder, `${folder}/..`]) chmodSync(each, 0o755);
  const { address, stop, restart } = await peer.start(folder);
  stage.onEnd(stop);
  const { user, password, host, port, database } = address;
  const url = `postgres://${user}:${password}@${host}:${port}/${database}`;
  return {
    url,
    restart: async () => {
      if (restart === undefined) throw new Error("this server cannot be restarted");
      await restart();
    },
    run: async (...statements) => {
      const client = await openClient({ url, name: "chaos", timeoutMs: 10_000 });
      try {
        for (const statement of statements) await client.query(statement);
      } finally {
        await client.end();
      }
    },
  };
}
