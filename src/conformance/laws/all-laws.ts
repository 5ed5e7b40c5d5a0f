import { dataLaws } from "./data-laws.ts";
import { envelopeLaws } from "./envelope-laws.ts";
import { httpLaws } from "./http-laws.ts";
import type { Law } from "./law.ts";

export const allLaws = (): readonly Law[] => [...httpLaws, ...envelopeLaws, ...dataLaws()];
