import { embedded } from "./embedded/connector.ts";

/** Every connector that can be named in a configuration. */
export const connectors = [embedded] as const;
