import type { Floor } from "./floor.ts";
import { type ServiceSettings, startService } from "./service.ts";
import type { Stage } from "./stage.ts";
import type { Volume } from "./volume.ts";
import { pause } from "./wait.ts";

export interface PowerCutNeeds {
  readonly stage: Stage;
  readonly volume: Volume;
  readonly settings: ServiceSettings;
  readonly floor: Floor;
  readonly upToMs: number;
}

/** How long answers that were written before the cut may take to be read: they count as acknowledged. */
const lastAnswersMs = 5;

/** One life of the service, ended by the power at a random moment. */
export async function cutPowerUnderLoad({ stage, volume, settings, floor, upToMs }: PowerCutNeeds): Promise<void> {
  const service = await startService(settings);
  const shift = floor.work(service.url);
  await pause(stage.random.below(upToMs));
  // Stopped before the disk goes: a service that noticed the failing disk could still give other answers.
  service.signal("SIGSTOP");
  await pause(lastAnswersMs);
  volume.cutPower();
  await service.end("SIGKILL");
  await shift.stop();
  volume.comeBack();
}
