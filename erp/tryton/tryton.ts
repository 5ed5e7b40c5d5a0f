// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is what the settings themselves look like
import { join } from "node:path";
import { stringify } from "yaml";
import { freePort } from "../../test/peers/free-port.ts";
import { installPackages } from "../harness/debian-packages.ts";
import { orStop, startPostgres } from "../harness/own-postgres.ts";
import type { RealSystem } from "../harness/real-system.ts";
import { bookedMoves, shipmentFaults } from "./booked-moves.ts";
import { changeShipment } from "./office.ts";
import { seedWarehouse } from "./seed-warehouse.ts";
import { openTryton } from "./tryton-client.ts";
import { startTryton, trytonLogin, trytonPackages } from "./tryton-server.ts";

/** Tryton 6.0 on PostgreSQL, from Debian's packages. */
export const tryton: RealSystem = {
  name: "tryton",
  title: "Tryton 6.0",
  hasPlaces: true,
  sizes: {
    full: { orders: 240, kills: 2, officeChanges: 24, operators: 8, speed: 10 },
    short: { orders: 20, kills: 1, officeChanges: 4, operators: 4, speed: 10 },
  },
  install: (say) => installPackages(trytonPackages, say),
  start: async (folder, say) => {
    const postgres = await startPostgres(join(folder, "postgres"), await freePort());
    const server = await orStop(
      postgres,
      startTryton({ folder: join(folder, "tryton"), postgres, port: await freePort(), say }),
    );
    const signIn = () => openTryton({ baseUrl: server.baseUrl, ...trytonLogin });
    return {
      config: stringify({
        connectors: {
          erp: {
            type: "http",
            preset: "tryton",
            baseUrl: `${server.baseUrl}/${trytonLogin.database}`,
            variables: { user: trytonLogin.login, password: "${TRYTON_PASSWORD}" },
          },
        },
        serve: { items: "erp" },
        events: { to: "erp" },
      }),
      secrets: { TRYTON_PASSWORD: trytonLogin.password },
      seed: async ({ orders }, random) => seedWarehouse(await signIn(), orders, random),
      change: async (random) => changeShipment(await signIn(), random),
      booked: async () => bookedMoves(await signIn()),
      faults: async () => shipmentFaults(await signIn()),
      kill: server.kill,
      stop: async () => {
        await server.stop();
        await postgres.stop();
      },
    };
  },
};
