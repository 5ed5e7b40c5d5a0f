// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is what the settings themselves look like
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { stringify } from "yaml";
import { startAdapter } from "../../scripts/day/own-adapter.ts";
import { seededRandom } from "../../src/kit/ids.ts";
import { tryton as preset } from "../../src/presets/tryton.ts";
import { freePort } from "../../test/peers/free-port.ts";
import { installPackages } from "../harness/debian-packages.ts";
import { type OwnPostgres, startPostgres } from "../harness/own-postgres.ts";
import { seedWarehouse } from "./seed-warehouse.ts";
import { type Domain, openTryton } from "./tryton-client.ts";
import { startTryton, trytonLogin, trytonPackages } from "./tryton-server.ts";

/**
 * How long the list of many shipments takes through the adapter, beside the one call of Tryton that it consists of. Both are
 * asked in turn, so that whatever else the machine does slows down both.
 */
const { values } = parseArgs({
  options: {
    shipments: { type: "string", default: "2000" },
    rounds: { type: "string", default: "7" },
    folder: { type: "string" },
  },
});
const [shipments, rounds] = [Number(values.shipments), Number(values.rounds)];
const seeded = 40;
const say = (text: string) => console.log(`${(performance.now() / 1000).toFixed(0).padStart(5)} s  ${text}`);

/** Assigning thousands of shipments takes Tryton an hour, so the first ones are copied in the database. */
async function multiply(postgres: OwnPostgres): Promise<void> {
  const copies = `generate_series(1, ${Math.ceil(shipments / seeded) - 1}) AS copy(n)`;
  const ofId = "id + copy.n * 1000000";
  const insert = async (table: string, other: Readonly<Record<string, string>>, where: string) => {
    const listed = await postgres.execute(
      trytonLogin.database,
      `SELECT string_agg(quote_ident(column_name), ',' ORDER BY ordinal_position) FROM information_schema.columns WHERE table_name = '${table}'`,
    );
    const columns = listed.trim().split(",");
    const chosen = columns.map((name) => (name === "id" ? ofId : (other[name] ?? name)));
    await postgres.execute(
      trytonLogin.database,
      `INSERT INTO ${table} (${columns.join(", ")}) SELECT ${chosen.join(", ")} FROM ${table} CROSS JOIN ${copies} WHERE ${where}`,
    );
  };
  // Moves first: they are found by the shipments that were there before.
  const document = "'stock.shipment.out,' || (split_part(shipment, ',', 2)::bigint + copy.n * 1000000)";
  await insert("stock_move", { shipment: document }, "shipment LIKE 'stock.shipment.out,%'");
  await insert("stock_shipment_out", { number: "number || '-' || copy.n" }, "true");
}

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

/** Of Linux: a process counts its processor time in hundredths of a second. */
function processorMs(pid: number): number {
  const [, , ...fields] = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/\(.*\)/, "-")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

interface Timed<Result> {
  readonly ms: number;
  /** Processor time of the server that works: what else the machine does is not in it. */
  readonly processor: number;
  readonly result: Result;
}

async function timed<Result>(pid: number, work: () => Promise<Result>): Promise<Timed<Result>> {
  const [began, before] = [performance.now(), processorMs(pid)];
  const result = await work();
  return { ms: performance.now() - began, processor: processorMs(pid) - before, result };
}

const folder = values.folder === undefined ? mkdtempSync(join(tmpdir(), "crossdock-list-")) : resolve(values.folder);
mkdirSync(folder, { recursive: true });
chmodSync(folder, 0o755);
await installPackages(trytonPackages, say);
const postgres = await startPostgres(join(folder, "postgres"), await freePort());
try {
  const server = await startTryton({ folder: join(folder, "tryton"), postgres, port: await freePort(), say });
  try {
    await measure(server.baseUrl, server.pid());
  } finally {
    await server.stop();
  }
} finally {
  await postgres.stop();
  if (values.folder === undefined) rmSync(folder, { recursive: true });
}

async function measure(baseUrl: string, trytonPid: number): Promise<void> {
  const person = await openTryton({ baseUrl, ...trytonLogin });
  say(`making ${seeded} shipments`);
  await seedWarehouse(person, seeded, seededRandom(1, "seed"));
  await multiply(postgres);
  const url = `${baseUrl}/${trytonLogin.database}`;
  const adapterFolder = join(folder, "adapter");
  rmSync(adapterFolder, { recursive: true, force: true });
  mkdirSync(adapterFolder, { recursive: true });
  const variables = { user: trytonLogin.login, password: "${TRYTON_PASSWORD}" };
  const config = {
    connectors: {
      erp: {
        type: "http",
        preset: "tryton",
        baseUrl: url,
        variables,
        timeouts: { totalMs: 120_000, headersMs: 120_000 },
      },
    },
    serve: { workOrders: "erp" },
    events: { to: "erp" },
    budgets: { listMs: 120_000 },
  };
  writeFileSync(join(adapterFolder, "crossdock.yaml"), stringify(config));
  const port = await freePort();
  const env = { TRYTON_PASSWORD: trytonLogin.password };
  const adapter = await startAdapter({ folder: adapterFolder, port, env });
  try {
    // As the preset writes it: the parameters of one call.
    const { listWorkOrders } = preset.options["operations"] as {
      readonly listWorkOrders: {
        readonly body: { readonly params: readonly [Domain, number, null, unknown, string[]] };
      };
    };
    const [domain, , , , fields] = listWorkOrders.body.params;
    const own = () => person.find("stock.shipment.out", domain, fields);
    const listed = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/WorkOrders`);
      // The envelope of the contract.
      return (await answer.json()) as {
        readonly data: readonly unknown[] | null;
        readonly externalMessage: string | null;
      };
    };
    const [alone, through, shares]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round <= rounds; round++) {
      const direct = await timed(trytonPid, own);
      const { ms, processor, result } = await timed(adapter.pid, listed);
      if (result.data?.length !== direct.result.length)
        throw new Error(
          `${result.data?.length} of ${direct.result.length} shipments are listed: ${result.externalMessage}`,
        );
      // The first round loads caches of both.
      if (round === 0) continue;
      alone.push(direct.ms);
      through.push(ms);
      shares.push(processor / direct.processor);
      say(
        `Tryton ${direct.ms.toFixed(0)} ms, adapter ${ms.toFixed(0)} ms for ${direct.result.length} shipments; ` +
          `processor: Tryton ${direct.processor} ms, adapter besides ${processor} ms`,
      );
    }
    const ratios = through.map((ms, index) => ms / (alone[index] ?? 1));
    say(
      `median: Tryton ${median(alone).toFixed(0)} ms, adapter ${median(through).toFixed(0)} ms, ratio ${median(ratios).toFixed(2)}; ` +
        `by processor time ${(1 + median(shares)).toFixed(2)}`,
    );
  } finally {
    await adapter.end("SIGTERM");
  }
}
