import type { Floor } from "../floor/floor.ts";
import type { HardEnds } from "../service/hard-ends.ts";
import type { Starting } from "../service/service.ts";
import type { Stage } from "../stage.ts";
import { pause } from "../wait.ts";
import type { Volume } from "./volume.ts";

export interface PowerCutNeeds {
  readonly stage: Stage;
  readonly volume: Volume;
  readonly starting: Starting;
  readonly floor: Floor;
  readonly hardEnds: HardEnds;
  /** Maximum number of events until the cut. */
  readonly upToEvents: number;
}

/** Answers that were written before the cut may take this long to be read. They count as acknowledged. */
const lastAnswersMs = 5;
/** The cut comes up to this long after the chosen event. Otherwise every cut would come right after an answer. */
const afterMs = 20;
const longestLifeMs = 20_000;

/** One run of the service, ended by a power cut at a random moment. */
export async function cutPowerUnderLoad(needs: PowerCutNeeds): Promise<void> {
  const { stage, volume, starting, floor, hardEnds, upToEvents } = needs;
  const service = await starting.serving;
  hardEnds.serves();
  const shift = floor.work(service.url);
  await floor.untilAcknowledged(floor.acknowledged() + stage.random.below(upToEvents), longestLifeMs);
  await pause(stage.random.below(afterMs));
  // Stopped before the disk fails. A service that noticed the failing disk could still send other answers.
  service.signal("SIGSTOP");
  hardEnds.ended();
  await pause(lastAnswersMs);
  volume.cutPower();
  await service.end("SIGKILL");
  await shift.stop();
  await volume.remount();
}
