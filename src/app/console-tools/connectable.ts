import { connectors } from "../../connectors/catalogue.ts";
import { operationIds, operationRow } from "../../contract/operations.ts";
import { capabilities, capabilityNames } from "../../engine/queries/routing.ts";
import { presets } from "../../presets/catalogue.ts";
import type { Preset } from "../../presets/preset.ts";
import type { Connectable } from "../../server/workshop/config-editor.ts";

/** What a person can choose from when connecting an external system. */
export function connectable(): Connectable {
  return {
    kinds: connectors
      // The embedded store is always connected.
      .filter((one) => !("projectionModule" in one))
      .map(({ type, summary, options }) => ({ type, summary, options })),
    presets: presets.map((preset) => {
      const { name, title, summary, type, requiredOptions } = preset;
      return { name, title, summary, type, queries: requiredOptions, ...offeredBy(preset) };
    }),
    capabilities: capabilityNames,
  };
}

function offeredBy({ options }: Preset) {
  // A test opens the options of every preset: this member is an object or absent.
  const operations = Object.keys((options["operations"] as object | undefined) ?? {});
  return {
    serves: capabilityNames.filter((name) => capabilities[name].queries.every((id) => operations.includes(id))),
    takesEvents: operationIds.some((id) => operationRow(id).kind === "event" && operations.includes(id)),
  };
}
