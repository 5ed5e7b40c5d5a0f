import { operationIds } from "../contract/operations.ts";
import type { Group } from "./check.ts";

/** What checks can be about, in the order of reports. */
export const groups = (): readonly Group[] => [...operationIds, "workflow", "adapter"];
