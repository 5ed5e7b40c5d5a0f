import { chmodSync } from "node:fs";
import { peer } from "../../../test/peers/postgres.ts";
import type { Stage } from "../stage.ts";

/** A real PostgreSQL for this scenario alone; its address as the store of a deployment. */
export async function startPostgres(stage: Stage): Promise<string> {
  const folder = stage.folder("postgres");
  // As root the server runs as another user, who has to get in.
  for (const each of [folder, `${folder}/..`]) chmodSync(each, 0o755);
  const { address, stop } = await peer.start(folder);
  stage.onEnd(stop);
  const { user, password, host, port, database } = address;
  return `postgres://${user}:${password}@${host}:${port}/${database}`;
}
