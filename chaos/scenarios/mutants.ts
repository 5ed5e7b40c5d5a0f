import { checkPromises } from "../harness/checks/check-promises.ts";
import { readJournal } from "../harness/checks/read-journal.ts";
import { cutPowerUnderLoad } from "../harness/disks/cut-power-under-load.ts";
import { missingForVolume } from "../harness/disks/machine-rights.ts";
import { openVolume } from "../harness/disks/volume.ts";
import { openFloor } from "../harness/floor/floor.ts";
import { defineScenario, type Figure } from "../harness/scenario.ts";
import { openHardEnds } from "../harness/service/hard-ends.ts";
import { mutants as all, plantMutant } from "../harness/service/mutant.ts";
import { beginService } from "../harness/service/service.ts";
import type { Stage } from "../harness/stage.ts";

/** Cuts the power until events are missing. `lost` is 0 if the mutant was never caught. */
async function cutsUntilCaught(stage: Stage, source: string, maxCuts: number): Promise<{ cuts: number; lost: number }> {
  const volume = openVolume(stage, "xfs", 512);
  const dataFolder = `${volume.folder}/data`;
  const settings = { stage, folder: stage.folder("config"), dataFolder, source };
  const floor = openFloor({ name: "M", connections: 16, eventsPerOrder: 20, mix: "mixed" });
  const hardEnds = openHardEnds();
  for (let cuts = 1; cuts <= maxCuts; cuts++) {
    await cutPowerUnderLoad({ stage, volume, starting: beginService(settings), floor, hardEnds, upToEvents: 150 });
    // If nothing is accepted, nothing can be lost, and without this line the cuts would go on for minutes.
    if (floor.acknowledged() === 0 && floor.failed() > 0) throw new Error("the faulty build accepts no events");
    const { lost } = checkPromises({ ledger: floor.ledger, ...readJournal(dataFolder) });
    if (lost > 0) return { cuts, lost };
  }
  return { cuts: 0, lost: 0 };
}

export const mutants = defineScenario({
  name: "mutants",
  summary:
    "Builds with a deliberate mistake are caught by the power cuts; if they were not, the power cuts would prove nothing.",
  full: { maxCuts: 20 },
  short: { maxCuts: 10 },
  missing: () => missingForVolume("xfs"),
  run: async ({ maxCuts }, stage) => {
    const figures: Figure[] = [];
    for (const mutant of all) {
      const own = stage.open(mutant.name);
      try {
        const { cuts, lost } = await cutsUntilCaught(own, plantMutant(own, mutant), maxCuts);
        figures.push({
          what: `lost by a build that ${mutant.name}`,
          value: lost,
          unit: "",
          bar: { at: "least", limit: 1 },
        });
        figures.push({ what: `cuts until it was caught`, value: cuts, unit: "" });
      } finally {
        await own.clear();
      }
    }
    return { figures, violations: [] };
  },
});
