import { AdapterGone, type AdminClient, adminClient } from "./admin-client.ts";
import { CommandFailure } from "./command-failure.ts";
import { type AdapterOptions, findAdapter, noAdapter } from "./find-adapter.ts";
import type { Terminal } from "./terminal.ts";

/** The two places where something kept can be asked for. */
export interface TwoSources<Source> {
  readonly remote: (client: AdminClient) => Source;
  /** The file of an adapter that does not run; null where there is none. */
  readonly stored: (dataFolder: string) => Promise<{ readonly source: Source; readonly close: () => void } | null>;
  /** What is said where the file has to do, such as "this is read from its journal file". */
  readonly insteadSaid: string;
}

/** Asks the adapter where one runs, else its file: what a stopped adapter has kept is what one wants to see most. */
export async function fromAdapterOrFile<Source, Answer>(
  options: AdapterOptions,
  terminal: Terminal,
  sources: TwoSources<Source>,
  ask: (source: Source) => Promise<Answer>,
): Promise<Answer> {
  const { dataFolder, adapter } = await findAdapter(options, terminal);
  if (adapter !== null) {
    try {
      return await ask(sources.remote(adminClient(adapter)));
    } catch (error) {
      if (!(error instanceof AdapterGone)) throw error;
      if (options.url !== undefined) throw new CommandFailure(error.message, { next: "check the address" });
    }
  }
  const stored = await sources.stored(dataFolder);
  if (stored === null) throw noAdapter(dataFolder);
  terminal.complain(`No adapter runs on ${dataFolder}; ${sources.insteadSaid}.`);
  try {
    return await ask(stored.source);
  } finally {
    stored.close();
  }
}
