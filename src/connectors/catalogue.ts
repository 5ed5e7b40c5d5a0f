import { embedded } from "../store/connector.ts";
import { files } from "./files/connector.ts";
import { http } from "./http/connector.ts";
import { module } from "./module/connector.ts";
import { sql } from "./sql/connector.ts";
import { webhook } from "./webhook/connector.ts";

/** Every connector that can be named in a configuration. */
export const connectors = [embedded, webhook, http, files, module, sql] as const;
