import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AskId } from "../../contract/operations.ts";
import type { PushTopic } from "../../contract/pushes.ts";
import { CommandFailure } from "../command-failure.ts";
import type { FoundMapping } from "./find-mapping.ts";
import type { MappedSample } from "./run-mapping.ts";

/** A captured sample and what became of it: kept beside the configuration, run before every change of it goes live. */
export interface MappingTest {
  /** The mapping it is for: its path in the configuration, or its own file. */
  readonly mapping: FoundMapping["place"];
  readonly as: AskId | PushTopic | null;
  readonly sample: readonly unknown[];
  readonly expected: readonly MappedSample[];
}

const folderName = "mapping-tests";

/** Writes the test under its name and returns where it lies. */
export function saveMappingTest(folder: string, name: string, test: MappingTest): string {
  if (!/^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(name)) {
    throw new CommandFailure(`${JSON.stringify(name)} cannot be the name of a test`, {
      next: "use letters, digits, dots and hyphens, such as --save order-with-batch",
    });
  }
  mkdirSync(join(folder, folderName), { recursive: true });
  const file = join(folderName, `${name}.json`);
  writeFileSync(join(folder, file), `${JSON.stringify(test, null, 2)}\n`);
  return file;
}

export function savedMappingTests(folder: string): { readonly name: string; readonly test: MappingTest }[] {
  const path = join(folder, folderName);
  let files: string[];
  try {
    files = readdirSync(path).filter((file) => file.endsWith(".json"));
  } catch {
    files = [];
  }
  if (files.length === 0) {
    throw new CommandFailure(`there are no mapping tests in ${path}`, {
      next: "capture one: crossdock map sample.json --at connectors.erp.operations.listWorkOrders.map --save NAME",
    });
  }
  return files.toSorted().map((file) => ({ name: file.slice(0, -5), test: read(join(path, file)) }));
}

function read(file: string): MappingTest {
  try {
    const { mapping, as, sample, expected } = JSON.parse(readFileSync(file, "utf8"));
    if (typeof mapping === "object" && Array.isArray(sample) && Array.isArray(expected))
      return { mapping, as, sample, expected };
  } catch {
    // Said below like every other file that is no test.
  }
  throw new CommandFailure(`${file} is no mapping test`, { next: "capture it anew with crossdock map --save" });
}
