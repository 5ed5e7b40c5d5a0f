import { AdapterGone, type AdminClient, adminClient } from "./admin-client.ts";
import { CommandFailure } from "./command-failure.ts";
import { type AdapterOptions, findAdapter, noAdapter } from "./find-adapter.ts";
import type { Terminal } from "./terminal.ts";

/** For what only a running adapter can do. */
export async function withAdapter<Answer>(
  options: AdapterOptions,
  terminal: Terminal,
  use: (client: AdminClient) => Promise<Answer>,
): Promise<Answer> {
  const { dataFolder, adapter } = await findAdapter(options, terminal);
  if (adapter === null) throw noAdapter(dataFolder);
  try {
    return await use(adminClient(adapter));
  } catch (error) {
    if (!(error instanceof AdapterGone)) throw error;
    throw options.url === undefined
      ? noAdapter(dataFolder)
      : new CommandFailure(error.message, { next: "check the address, and whether the adapter runs" });
  }
}
