import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { PlantedFault } from "./planted-faults.ts";

/**
 * Plays the sequences once for each fault that is given as JSON on its input, and says for each on a line of its own
 * what came of it. A program of its own, because faults are planted while modules are loaded. All faults share one
 * process: loading the libraries takes longer than playing. Each has its own instance of every module of this
 * repository, told apart by a query behind its address.
 */
const top = pathToFileURL(join(import.meta.dirname, "../../..")).href;
// Written by planted.test.ts.
const faults = JSON.parse(readFileSync(0, "utf8")) as readonly PlantedFault[];
const planted = new Set<number>();

const nthOf = (url: string | undefined): number | null => {
  const given = url === undefined ? null : /\?fault=(\d+)$/.exec(url)?.[1];
  return given == null ? null : Number(given);
};
const texts = new Map<string, string>();
const textOf = (url: string): string => {
  const known = texts.get(url) ?? stripTypeScriptTypes(readFileSync(fileURLToPath(url), "utf8"));
  texts.set(url, known);
  return known;
};

function withFault(nth: number, { file, find, replace }: PlantedFault): string {
  const source = readFileSync(fileURLToPath(`${top}/${file}`), "utf8");
  // A snippet that has moved would plant nothing, and the model would be blamed for not noticing.
  if (source.split(find).length !== 2) throw new Error(`${file} does not hold this exactly once: ${find}`);
  planted.add(nth);
  return stripTypeScriptTypes(source.replace(find, () => replace));
}

registerHooks({
  resolve: (specifier, context, nextResolve) => {
    const resolved = nextResolve(specifier, context);
    const nth = nthOf(context.parentURL);
    const isOwn = resolved.url.startsWith(`${top}/`) && !resolved.url.includes("/node_modules/");
    return nth === null || !isOwn ? resolved : { ...resolved, url: `${resolved.url}?fault=${nth}` };
  },
  load: (url, context, nextLoad) => {
    const nth = nthOf(url);
    const fault = nth === null ? undefined : faults[nth];
    const plain = url.replace(/\?fault=\d+$/, "");
    if (nth === null || fault === undefined || !plain.endsWith(".ts")) return nextLoad(url, context);
    const source = plain === `${top}/${fault.file}` ? withFault(nth, fault) : textOf(plain);
    return { format: "module", source, shortCircuit: true };
  },
});

async function play(nth: number): Promise<string> {
  const url = new URL(`../sequences/check-sequences.ts?fault=${nth}`, import.meta.url).href;
  const { playListed, checkSequences } = (await import(url)) as typeof import("../sequences/check-sequences.ts");
  if (!planted.has(nth)) return "the file is not loaded";
  const first = faults[nth]?.foundBy;
  const { failure } =
    (await playListed(first === undefined ? {} : { first })) ??
    (await checkSequences({ seed: 1, numRuns: 1000, isEnoughToFind: true }));
  return failure === undefined ? "no difference" : "a difference";
}

for (const nth of faults.keys()) {
  const result = await play(nth).catch((error: unknown) => String(error));
  console.log(JSON.stringify({ nth, result }));
}
