import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../test/peers/free-port.ts";
import { installPackages } from "../harness/debian-packages.ts";
import { orStop, startPostgres } from "../harness/own-postgres.ts";
import type { RealSystem } from "../harness/real-system.ts";
import { bookedFulfilments } from "./booked-fulfilments.ts";
import { openMedusa } from "./medusa-client.ts";
import { installMedusa, medusaLogin, startMedusa } from "./medusa-server.ts";
import { changeShopOrder } from "./office.ts";
import { seedShop } from "./seed-shop.ts";

const medusa = (name: string, title: string, isAtTheEnd: boolean): RealSystem => ({
  ...{ name, title, hasPlaces: false },
  sizes: {
    full: { orders: 30, kills: 2, officeChanges: 8, operators: 3, speed: 2 },
    short: { orders: 8, kills: 1, officeChanges: 2, operators: 2, speed: 6 },
  },
  install: async (say) => {
    await installPackages(["postgresql"], say);
    await installMedusa(say);
  },
  start: async (folder, say) => {
    const postgres = await startPostgres(join(folder, "postgres"), await freePort());
    const server = await orStop(
      postgres,
      startMedusa({ folder: join(folder, "medusa"), postgres, port: await freePort(), say }),
    );
    const signIn = () => openMedusa(server.baseUrl, medusaLogin);
    let changes = 0;
    return {
      config: readFileSync(new URL(isAtTheEnd ? "at-the-end.yaml" : "per-step.yaml", import.meta.url), "utf8"),
      secrets: { MEDUSA_URL: server.baseUrl, MEDUSA_PASSWORD: medusaLogin.password },
      seed: async ({ orders }, random) => seedShop(await signIn(), orders, random),
      change: async (random) => {
        const kind = changes % 2 === 0 ? "lower" : "cancel";
        const changed = await changeShopOrder(await signIn(), kind, { random, isAtTheEnd });
        changes++;
        return changed;
      },
      booked: async () => bookedFulfilments(await signIn()),
      faults: async () => [],
      kill: server.kill,
      stop: async () => {
        await server.stop();
        await postgres.stop();
      },
    };
  },
});

export const medusaPerStep = medusa("medusa-steps", "Medusa 2, fulfilled per step", false);
export const medusaAtTheEnd = medusa("medusa-end", "Medusa 2, fulfilled at the end of the order", true);
