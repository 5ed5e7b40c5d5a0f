import { maskAddresses } from "../../operation/secrets/mask-by-name.ts";
import { maskMembers } from "../../operation/secrets/mask-members.ts";
import type { LoadedConfig } from "../load-config.ts";
import { isReference } from "./resolve-text.ts";

/**
 * The configuration in effect, to be shown. Secrets are masked by their value, and by the name of their setting: a value
 * that stands in the file itself, or is short, is not known to be a secret. Where a secret is kept is shown.
 */
export const shownConfig = ({ config, redact }: Pick<LoadedConfig, "config" | "redact">): unknown =>
  maskMembers(config, (text) => maskAddresses(redact(text)), isReference);
