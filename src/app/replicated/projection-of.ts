import type { Config } from "../../config/config-schema.ts";
import type { CopyOptions } from "../../replication/copy/open-copy.ts";
import { embeddedOptionsOf } from "../../runtime/open-base.ts";
import { embedded } from "../../store/connector.ts";

/** The module and options that create the tables of the embedded system in a copy. */
export const projectionOf = (config: Config): Pick<CopyOptions, "projectionModule" | "projectionOptions"> => ({
  projectionModule: embedded.projectionModule,
  projectionOptions: embeddedOptionsOf(config),
});
