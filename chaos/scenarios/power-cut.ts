import { promiseFigures, settleAndCheck } from "../harness/checks/settle.ts";
import { cutPowerUnderLoad } from "../harness/disks/cut-power-under-load.ts";
import { missingForVolume } from "../harness/disks/machine-rights.ts";
import { openVolume } from "../harness/disks/volume.ts";
import { defineBothWays } from "../harness/floor/define-both-ways.ts";
import { openFloor } from "../harness/floor/floor.ts";
import { startReceiver } from "../harness/receiver/receiver.ts";
import { openHardEnds } from "../harness/service/hard-ends.ts";
import { standByService } from "../harness/service/service.ts";

/** Short runs accept more than they deliver. The backlog is delivered at the end. */
const restWithinMs = 600_000;

const powerCut = (kind: "xfs" | "ext4") =>
  defineBothWays({
    name: `power-cut-${kind}`,
    summary: `The power fails at random moments under load, with the data on ${kind}: nothing acknowledged is lost.`,
    full: { cuts: 500, upToEvents: 500 },
    short: { cuts: 2, upToEvents: 80 },
    shortForward: { cuts: 1, upToEvents: 80 },
    missing: () => missingForVolume(kind),
    run: async ({ cuts, upToEvents }, stage, way) => {
      const receiver = await startReceiver(stage);
      const volume = openVolume(stage, kind, 2048);
      const settings = {
        stage,
        folder: stage.folder(kind),
        dataFolder: `${volume.folder}/data`,
        ...way.service(receiver.url),
      };
      const floor = openFloor({ name: `P-${kind}`, connections: 16, eventsPerOrder: 20, mix: way.mix });
      const hardEnds = openHardEnds();
      let standby = standByService(settings);
      for (const cut of stage.rounds({ most: cuts })) {
        const starting = standby.begin();
        // The next process loads its program while this one runs.
        standby = standByService(settings);
        await cutPowerUnderLoad({ stage, volume, starting, floor, hardEnds, upToEvents });
        if (cut % 100 === 0) stage.say(`${cut} cuts, ${floor.acknowledged().toLocaleString("en")} acknowledged`);
      }
      const service = await standby.begin().serving;
      hardEnds.serves();
      const verdict = await settleAndCheck({
        floor,
        receiver,
        service,
        hardEnds: hardEnds.list,
        withinMs: restWithinMs,
        direction: way.direction,
      });
      return {
        figures: [
          { what: "power cuts", value: hardEnds.list.length, unit: "", bar: { at: "least", limit: cuts } },
          ...promiseFigures(verdict),
          { what: "delivered twice because of a cut", value: verdict.duplicates.afterHardEnd, unit: "" },
        ],
        violations: verdict.violations,
      };
    },
  });

export const powerCutXfs = powerCut("xfs");
export const powerCutExt4 = powerCut("ext4");
