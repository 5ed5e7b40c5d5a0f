import type { QuarantineBooks } from "../app/quarantine-view.ts";
import type { AdminClient } from "./admin-client.ts";
import { CommandFailure } from "./command-failure.ts";
import type { AdapterOptions } from "./find-adapter.ts";
import { fromAdapterOrFile, type TwoSources } from "./from-adapter-or-file.ts";
import type { Terminal } from "./terminal.ts";

/** A stopped adapter is asked by its file, which is where it is mended as well. */
export const fromQuarantine = <Answer>(
  options: AdapterOptions,
  terminal: Terminal,
  ask: (books: QuarantineBooks) => Promise<Answer>,
): Promise<Answer> => fromAdapterOrFile(options, terminal, quarantineSources, ask);

const quarantineSources: TwoSources<QuarantineBooks> = {
  remote: remoteBooks,
  stored: async (dataFolder) => {
    const { openStoredQuarantine } = await import("../app/quarantine-view.ts");
    const stored = openStoredQuarantine(dataFolder);
    return stored === null ? null : { source: stored, close: stored.close };
  },
  insteadSaid: "this is done in its file",
};

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
