import { stringify } from "yaml";
import { operationIds, operationRow } from "../../contract/operations.ts";
import { capabilities, capabilityNames } from "../../engine/queries/routing.ts";
import type { Preset } from "../../presets/preset.ts";

/** A configuration for a known ERP. It asks only for what the preset cannot know. */
export function presetStarter({ name, title, type, requiredOptions, options }: Preset, address: string): string {
  // Written out although the preset has it, so that a reader sees what the members below it mean. A test checks every
  // preset against the schema of its connector.
  const { kind } = (options["auth"] ?? {}) as { kind?: string };
  const given: Record<string, unknown> = {};
  for (const { option, example, isSecret } of requiredOptions) {
    const value = isSecret ? `\${${example}}` : option === addressOption ? address : example;
    if (option.startsWith("auth.") && kind !== undefined) put(given, ["auth", "kind"], kind);
    put(given, option.split("."), value);
  }
  const notes = requiredOptions.map(({ option, description }) => `    # ${option}: ${description}`);
  // A test opens the options of every preset, so this member is an object or absent.
  const operations = Object.keys((options["operations"] as object | undefined) ?? {});
  const served = capabilityNames.filter((capability) =>
    capabilities[capability].queries.every((id) => operations.includes(id)),
  );
  const takesEvents = operationIds.some((id) => operationRow(id).kind === "event" && operations.includes(id));
  return `connectors:
  erp:                               # ${title}
    type: ${type}
    preset: ${name}
${[
  ...notes,
  ...stringify(given)
    .trimEnd()
    .split("\n")
    .map((line) => `    ${line}`),
].join("\n")}

serve:                               # who answers; what is not named here the embedded store does
${served.length === 0 ? "  # items: erp" : served.map((capability) => `  ${capability}: erp`).join("\n")}
${takesEvents ? "\nevents:\n  to: erp\n" : ""}`;
}

/** Environment variables that must be set before the start. */
export const presetVariables = ({ requiredOptions }: Preset): string[] =>
  requiredOptions.flatMap(({ example, isSecret }) => (isSecret ? [String(example)] : []));

const addressOption = "baseUrl";

/** The usual address of such a system. */
export const presetAddress = ({ requiredOptions }: Preset): string =>
  String(requiredOptions.find(({ option }) => option === addressOption)?.example ?? "");

function put(owner: Record<string, unknown>, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    owner[name] = value;
    return;
  }
  owner[name] ??= {};
  // Created in the line above, or for an earlier path.
  put(owner[name] as Record<string, unknown>, rest, value);
}
