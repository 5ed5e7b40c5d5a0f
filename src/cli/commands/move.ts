import type { MoveReport } from "../../app/move/move-to-postgres.ts";
import { CommandFailure, defineCommand } from "../command.ts";
import { textTable } from "../describe/terminal-text.ts";
import { adapterOptions } from "../find-adapter.ts";
import { isFolderInUse, startFailure } from "../start-failure.ts";

export const moveCommand = defineCommand({
  name: "move",
  summary: "move the data from the data folder to a PostgreSQL, or back",
  details:
    "Stop every process of the deployment first. The data is copied, read back and compared table by table before the target counts; " +
    "then the source is marked, so that it cannot be started by mistake, and its data is kept. An interrupted move is run again with " +
    "the same command. Afterwards set or remove `store` (CROSSDOCK_STORE).",
  arguments: [],
  options: {
    to: {
      value: "TARGET",
      description:
        "postgres://user:password@host/database, postgres for the configured `store`, or sqlite for the data folder",
    },
    config: { value: "FILE", description: "configuration file (else CROSSDOCK_CONFIG, else crossdock.yaml)" },
    data: adapterOptions.data,
  },
  examples: [
    {
      command: "crossdock move --to postgres://crossdock:…@db/crossdock",
      does: "moves the data folder to that database",
    },
    {
      command: "crossdock move --to sqlite",
      does: "moves the deployment from the configured `store` into the data folder",
    },
  ],
  run: async ({ options, terminal }) => {
    const { to } = options;
    if (to === undefined || !/^(sqlite$|postgres(ql)?(:\/\/\S+)?$)/.test(to)) {
      throw new CommandFailure("the target is missing or not known", {
        next: "add --to postgres://user:password@host/database, or --to sqlite",
      });
    }
    const [{ loadConfig }, { moveToPostgres }, { moveToFolder }, { projectionOf }] = await Promise.all([
      import("../../config/load-config.ts"),
      import("../../app/move/move-to-postgres.ts"),
      import("../../app/move/move-to-folder.ts"),
      import("../../app/replicated/projection-of.ts"),
    ]);
    const { config, settings } = await loadConfig({
      file: options.config,
      options: { data: options.data },
      env: terminal.env,
      cwd: terminal.cwd,
    });
    const url = to.includes("://") ? to : (settings.store ?? config.store);
    if (url === undefined) {
      throw new CommandFailure("no PostgreSQL is configured", { next: "set CROSSDOCK_STORE or `store`" });
    }
    const { dataFolder } = settings;
    const { deployment } = config;
    const notify = (text: string) => terminal.complain(text);
    const needs = { dataFolder, url, deployment, notify };
    const moving =
      to === "sqlite" ? moveToFolder({ ...needs, projection: projectionOf(config) }) : moveToPostgres(needs);
    const report = await moving.catch((error: unknown) => {
      if (isFolderInUse(error)) {
        throw new CommandFailure(error.message, { next: "stop the adapter on this data folder first" });
      }
      throw startFailure(error, settings);
    });
    terminal.print(reportText(report, to === "sqlite" ? dataFolder : `PostgreSQL, as deployment ${deployment}`));
    terminal.print(
      to === "sqlite"
        ? "Next: remove `store` and CROSSDOCK_STORE, then start it. PostgreSQL keeps its data, and nobody can own it there."
        : "Next: set `store` or CROSSDOCK_STORE to this PostgreSQL on every machine, with the same key in CROSSDOCK_API_KEY, then start.",
    );
    return "ok";
  },
});

function reportText({ files, keptIn }: MoveReport, to: string): string {
  const rows = files.flatMap(({ name, tables }) =>
    tables.map(({ table, rows: count, sha256 }) => [name, table, String(count), sha256.slice(0, 16)]),
  );
  const total = files.flatMap(({ tables }) => tables).reduce((sum, { rows: count }) => sum + count, 0);
  return [
    textTable([["file", "table", "rows", "sha256"], ...rows]),
    `Moved to ${to}: ${total} rows in ${rows.length} tables, read back and the same.`,
    ...(keptIn === null ? [] : [`The previous files are in ${keptIn}.`]),
  ].join("\n");
}
