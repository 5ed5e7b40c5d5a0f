import { bodyChecks } from "./checks/body-checks.ts";
import { eventChecks } from "./checks/event-checks.ts";
import { exportChecks } from "./checks/export-checks.ts";
import { fileUploadChecks } from "./checks/file-checks.ts";
import { httpChecks, statusChecks } from "./checks/http-checks.ts";
import { lookupChecks } from "./checks/lookup-checks.ts";
import { pathChecks } from "./checks/path-checks.ts";
import { variantChecks } from "./checks/variant-checks.ts";
import type { Check, Law } from "./conformance-check.ts";
import { envelopeLaws, httpLaws } from "./laws/answer-laws.ts";
import { dataLaws } from "./laws/data-laws.ts";
import { changeChecks } from "./workflows/change-checks.ts";
import { floorChecks } from "./workflows/floor-checks.ts";

/** Every check that sends its own requests. The laws check every answer in addition. */
export const catalogue: readonly Check[] = [
  ...statusChecks,
  ...httpChecks,
  ...lookupChecks,
  ...pathChecks,
  ...exportChecks,
  ...variantChecks,
  ...bodyChecks,
  ...fileUploadChecks,
  ...eventChecks,
  ...floorChecks,
  ...changeChecks,
];

export const allLaws = (): readonly Law[] => [...httpLaws, ...envelopeLaws, ...dataLaws()];
