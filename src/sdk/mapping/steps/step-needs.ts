import type { DateSettings } from "../../dates.ts";
import type { Read, Site } from "../run.ts";

/** What the compiler of one step may use. */
export interface StepNeeds {
  readonly site: Site;
  readonly dates: DateSettings;
  /** Says that the option of this step is wrong; `key` is a member of it. */
  readonly report: (text: string, key?: string) => void;
}

/** For steps that read a second field of the record. */
export interface ReadingNeeds extends StepNeeds {
  /** Undefined where it is no path, which has been reported then. */
  readonly read: (path: unknown, key: string) => Read | undefined;
}
