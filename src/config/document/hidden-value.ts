import { isSecretName } from "../../operation/secrets/secret-names.ts";
import type { ConfigPath } from "./config-error.ts";

/** Stands in a message for a value that may be a secret: messages of a refused file end up in logs and tickets. */
export const hiddenValue = "a value that is not shown";

/** Whether a setting holds a secret by its name. The address of the store may have a password. */
export const mayHoldSecret = (path: ConfigPath): boolean =>
  path[0] === "store" || path.some((part) => typeof part === "string" && isSecretName(part));
