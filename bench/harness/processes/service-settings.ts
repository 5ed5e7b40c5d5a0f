import { readFileSync } from "node:fs";

const unit = readFileSync(new URL("../../../deploy/systemd/crossdock.service", import.meta.url), "utf8");

/** The flags and variables for memory in the service unit. With them the limits are those of an installed service. */
export const serviceSettings = {
  nodeOptions: [...unit.matchAll(/--max-semi-space-size=\d+/g)].map(([flag]) => flag),
  env: Object.fromEntries([...unit.matchAll(/(MALLOC_\w+)=(\d+)/g)].map(([, name = "", value = ""]) => [name, value])),
};
