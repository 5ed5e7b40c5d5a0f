import { cutPowerUnderLoad } from "../harness/cut-power-under-load.ts";
import { openFloor } from "../harness/floor.ts";
import { startReceiver } from "../harness/receiver.ts";
import { defineScenario } from "../harness/scenario.ts";
import { startService } from "../harness/service.ts";
import { promiseFigures, settleAndCheck } from "../harness/settle.ts";
import { missingForVolume } from "../harness/tools.ts";
import { openVolume } from "../harness/volume.ts";

const powerCut = (kind: "xfs" | "ext4") =>
  defineScenario({
    name: `power-cut-${kind}`,
    summary: `The power goes at random moments under load, with the data on ${kind}: nothing acknowledged is lost.`,
    full: { most: 500, least: 500, upToMs: 600 },
    short: { most: 20, least: 2, withinS: 15, upToMs: 250 },
    missing: () => missingForVolume(kind),
    run: async ({ most, least, upToMs, ...limits }, stage) => {
      const receiver = await startReceiver(stage);
      const volume = openVolume(stage, kind, 2048);
      const settings = { stage, folder: stage.folder(kind), dataFolder: `${volume.folder}/data`, target: receiver.url };
      const floor = openFloor({ name: `P-${kind}`, connections: 16, eventsPerOrder: 20, mix: "mixed" });
      let cuts = 0;
      for (const cut of stage.rounds({ most, ...limits })) {
        cuts = cut;
        await cutPowerUnderLoad({ stage, volume, settings, floor, upToMs });
        if (cut % 100 === 0) stage.say(`${cut} cuts, ${floor.acknowledged().toLocaleString("en")} acknowledged`);
      }
      const verdict = await settleAndCheck({
        floor,
        receiver,
        service: await startService(settings),
        withinMs: 120_000,
      });
      return {
        figures: [
          { what: "power cuts", value: cuts, unit: "", bar: { at: "least", limit: least } },
          ...promiseFigures(verdict),
        ],
        violations: verdict.violations,
      };
    },
  });

export const powerCutXfs = powerCut("xfs");
export const powerCutExt4 = powerCut("ext4");
