import type { QuarantineBooks } from "../app/quarantine-view.ts";
import { AdapterGone, type AdminClient, adminClient } from "./admin-client.ts";
import { CommandFailure } from "./command-failure.ts";
import { type AdapterOptions, findAdapter, noAdapter } from "./find-adapter.ts";
import type { Terminal } from "./terminal.ts";

/** Asks the adapter where one runs, else its file: what a stopped adapter kept back is what one wants to see before the start. */
export async function fromQuarantine<Answer>(
  options: AdapterOptions,
  terminal: Terminal,
  ask: (books: QuarantineBooks) => Promise<Answer>,
): Promise<Answer> {
  const { dataFolder, adapter } = await findAdapter(options, terminal);
  if (adapter !== null) {
    try {
      return await ask(remoteBooks(adminClient(adapter)));
    } catch (error) {
      if (!(error instanceof AdapterGone)) throw error;
      if (options.url !== undefined) throw new CommandFailure(error.message, { next: "check the address" });
    }
  }
  const { openStoredQuarantine } = await import("../app/quarantine-view.ts");
  const stored = openStoredQuarantine(dataFolder);
  if (stored === null) throw noAdapter(dataFolder);
  terminal.complain(`No adapter runs on ${dataFolder}; this is done in its file.`);
  try {
    return await ask(stored);
  } finally {
    stored.close();
  }
}

/** The id that a person wrote; what is none is an id that nothing has. */
export const recordId = (given: string): number => (/^\d{1,15}$/.test(given) ? Number(given) : 0);

export const noSuchRecord = (given: string): CommandFailure =>
  new CommandFailure(
    `there is no record ${JSON.stringify(given)} in quarantine; perhaps a good version came meanwhile`,
    {
      next: "look with: crossdock quarantine list",
    },
  );

function remoteBooks(client: AdminClient): QuarantineBooks {
  return {
    list: ({ limit, before, ...filter }) => {
      const members = Object.entries({ ...filter, before, limit }).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, String(value)]],
      );
      return client.get("/admin/quarantine", new Map(members));
    },
    show: (id) => client.get(`/admin/quarantine/${id}`),
    drop: async (id, decision) => {
      const path = `/admin/quarantine/${id}/drop`;
      return (await client.post<{ dropped: Awaited<ReturnType<QuarantineBooks["drop"]>> }>(path, decision)).dropped;
    },
  };
}
