import type { Preset } from "./preset.ts";

/** Every preset that a configuration can name. */
export const presets: readonly Preset[] = [];
export const presetNames: readonly string[] = presets.map(({ name }) => name);
