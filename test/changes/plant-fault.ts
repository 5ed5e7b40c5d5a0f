import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import type { PlantedFault } from "./planted-faults.ts";

/** Set for a process of its own by planted.test.ts: a fault as JSON. Preloaded with --import; nothing else reads it. */
const given = process.env["CROSSDOCK_PLANTED_FAULT"];
if (given !== undefined) {
  // Written by the test beside this file.
  const { file, find, replace } = JSON.parse(given) as PlantedFault;
  const faulty = pathToFileURL(file).href;
  let isPlanted = false;
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      if (url !== faulty) return loaded;
      const { source: given = "" } = loaded;
      const source = typeof given === "string" ? given : new TextDecoder().decode(given ?? undefined);
      // A snippet that has moved would plant nothing, and the model would be blamed for not noticing.
      if (source.split(find).length !== 2) throw new Error(`${file} does not hold this exactly once: ${find}`);
      isPlanted = true;
      return { ...loaded, source: source.replace(find, () => replace) };
    },
  });
  process.on("exit", () => {
    if (!isPlanted) process.exitCode = 3;
  });
}
