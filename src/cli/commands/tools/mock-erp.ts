import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { MockErp, MockErpNeeds } from "../../../tools/mock-erp/start-mock-erp.ts";
import type { GivenRecords } from "../../../tools/mock-erp/state/erp-records.ts";
import { CommandFailure, defineCommand } from "../../command.ts";
import { startFailure } from "../../start-failure.ts";

export const mockErpCommand = defineCommand({
  name: "mock-erp",
  summary: "run a simulated ERP, to try an adapter without a real one",
  details:
    "Has orders, items and stock, answers queries by REST, and processes events: picks reduce stock, orders close. With --sql it also " +
    "fills a database and processes the rows of its table events; with --files it drops files and reads event files. " +
    "All requests it received can be read at /control/recorded. The same seed gives the same orders. It needs no password unless " +
    "MOCK_ERP_TOKEN is set: do not expose it to a network.",
  arguments: [],
  options: {
    port: { value: "NUMBER", description: "port to listen on, 0 for a free one (else 8090)" },
    host: { value: "ADDRESS", description: "address to listen on (else 127.0.0.1)" },
    orders: { value: "NUMBER", description: "number of orders at the start (else 60)" },
    items: { value: "NUMBER", description: "number of items (else 40)" },
    seed: { value: "NUMBER", description: "seed of the random orders and items (else 1)" },
    data: { value: "FILE", description: "JSON file with your own items and orders instead of random ones" },
    faults: { value: "LIST", description: "5xx=1%,slow=5%:1500ms,hang=0.1%,html=1%,lost=1%,down" },
    errors: {
      value: "KIND",
      choices: ["status", "body"],
      description: "report errors by status, or in the body with status 200 (else status)",
    },
    sql: { value: "DATABASE", description: "SQLite file, postgres://… or mysql://… to fill and to read events from" },
    files: { value: "FOLDER", description: "folder to exchange files in" },
    format: {
      value: "FORMAT",
      choices: ["json", "csv"],
      description: "with --files: format of the dropped files; json uses the contract's names, csv its own (else json)",
    },
    everyMs: { value: "NUMBER", description: "interval for checking tables and files (else 500)" },
    writeConfig: { value: "FILE", description: "write the configuration of an adapter that connects to it" },
  },
  examples: [
    {
      command: "crossdock mock-erp --write-config crossdock.yaml",
      does: "starts on http://127.0.0.1:8090; crossdock start then connects to it",
    },
    { command: "crossdock mock-erp --faults 5xx=2%,lost=1%", does: "an ERP that fails now and then" },
    { command: "crossdock mock-erp --sql erp.db --write-config crossdock.yaml", does: "an ERP with tables" },
  ],
  run: async ({ options, terminal }) => {
    const [{ startMockErp }, { readErpFaults }, { NoSqlStore }, { systemTimers }] = await Promise.all([
      import("../../../tools/mock-erp/start-mock-erp.ts"),
      import("../../../tools/mock-erp/faults.ts"),
      import("../../../tools/mock-erp/sql-store.ts"),
      import("../../../kit/time/timers.ts"),
    ]);
    const faults = readErpFaults(options.faults ?? "");
    if ("problem" in faults) throw new CommandFailure(faults.problem, { next: "crossdock mock-erp --help" });
    const whole = (name: "port" | "orders" | "items" | "seed" | "everyMs", usual: number, most: number, least = 0) => {
      const number = Number(options[name] ?? usual);
      if (Number.isInteger(number) && number >= least && number <= most) return number;
      throw new CommandFailure(`${options[name]} is out of range`, {
        next: `give a whole number from ${least} to ${most}`,
      });
    };
    const isFile = options.sql?.includes("://") === false;
    const needs: MockErpNeeds = {
      ...{
        seed: whole("seed", 1, 2 ** 31),
        orders: whole("orders", 60, 100_000),
        items: whole("items", 40, 10_000, 1),
      },
      ...{ host: options.host ?? "127.0.0.1", port: whole("port", 8090, 65_535), faults },
      ...{ token: terminal.env["MOCK_ERP_TOKEN"] || null, isErrorInBody: options.errors === "body" },
      database: options.sql === undefined ? null : isFile ? resolve(terminal.cwd, options.sql) : options.sql,
      folder: options.files === undefined ? null : resolve(terminal.cwd, options.files),
      fileFormat: options.format === "csv" ? "csv" : "json",
      given: options.data === undefined ? null : await givenIn(resolve(terminal.cwd, options.data)),
      ...{ everyMs: whole("everyMs", 500, 3_600_000, 10), timers: systemTimers, now: () => Date.now() },
      onTrouble: (text) => terminal.complain(`mock-erp: ${text}`),
    };
    const stopped = terminal.untilStopped();
    const erp = await startMockErp(needs).catch((error: unknown) => {
      if (!(error instanceof NoSqlStore)) throw startFailure(error, needs);
      throw new CommandFailure(error.message, { next: "crossdock mock-erp --sql erp.db needs no database server" });
    });
    if (options.writeConfig !== undefined) {
      await writeFile(resolve(terminal.cwd, options.writeConfig), await configFor(erp, needs));
    }
    terminal.print(
      [
        `ERP        ${erp.url}/api`,
        `Control    ${erp.url}/control/state`,
        ...(needs.database === null ? [] : [`Tables     ${isFile ? options.sql : "in the given database"}`]),
        ...(options.files === undefined ? [] : [`Files      ${options.files}`]),
        ...(options.writeConfig === undefined ? [] : [`Adapter    crossdock start --config ${options.writeConfig}`]),
        `Orders     ${erp.state.orders.size} of ${erp.state.items.size} items`,
        "Stop with  Ctrl+C",
      ].join("\n"),
    );
    await stopped;
    await erp.close();
    const { state, recorded } = erp;
    terminal.print(
      `Booked     ${state.eventCount()} events, ${state.repeatCount()} repeated; ${recorded.count()} requests`,
    );
    return "ok";
  },
});

async function givenIn(file: string): Promise<GivenRecords> {
  const { readGivenRecords } = await import("../../../tools/mock-erp/state/erp-records.ts");
  const content = await readFile(file, "utf8").catch((error: unknown) => {
    throw new CommandFailure(`${file} cannot be read: ${error instanceof Error ? error.message : ""}`, {
      next: "give a JSON file with items and orders",
    });
  });
  const given = readGivenRecords(content);
  if (!("problem" in given)) return given;
  throw new CommandFailure(`${file}: ${given.problem}`, { next: "see docs/how-to/mock-erp.md for a small example" });
}

/** The configuration for the given interface; REST if there is no other. */
async function configFor({ url }: MockErp, { token, database, folder, fileFormat }: MockErpNeeds): Promise<string> {
  const { restConfig, fileConfig } = await import("../../../tools/mock-erp/adapter-config.ts");
  const { sqlConfig, sqlConnection } = await import("../../../tools/mock-erp/adapter-config.ts");
  if (database !== null) return sqlConfig(sqlConnection(database));
  return folder === null ? restConfig({ url, hasToken: token !== null }) : fileConfig(folder, fileFormat);
}
