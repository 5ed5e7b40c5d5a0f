import type { Objection } from "../../../config/document/config-error.ts";
import { redactor } from "../../../config/document/resolve-text.ts";
import { type LoadedConfig, plainDescription } from "../../../config/load-config.ts";

/** A loaded configuration without its functions, which cannot be handed to another thread. */
export type PlainConfig = Omit<LoadedConfig, "describe" | "redact">;

export function plainOf({ describe: _describe, redact: _redact, ...plain }: LoadedConfig): PlainConfig {
  return plain;
}

/** Adds what the other thread cannot hand over. Objections are collected: their positions are found in that thread. */
export const withFunctions = (plain: PlainConfig, objections: Objection[]): LoadedConfig => ({
  ...plain,
  redact: redactor(plain.secrets),
  describe: (found) => {
    objections.push(...found);
    return plainDescription(found);
  },
});
