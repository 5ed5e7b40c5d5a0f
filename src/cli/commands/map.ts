import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ConfigError } from "../../config/document/config-error.ts";
import { pushTopics } from "../../contract/pushes.ts";
import { MappingError, ruleProblemText } from "../../mapping/compile/compiling.ts";
import { CommandFailure, defineCommand, type Terminal } from "../command.ts";
import { indentJson, oneLine, textTable } from "../describe/terminal-text.ts";
import {
  configFileOf,
  type FoundMapping,
  findMapping,
  type MappingRequest,
  servesOf,
} from "../mapping/find-mapping.ts";
import {
  type MappedSample,
  readSample,
  runMapping,
  savedMappingTests,
  saveMappingTest,
} from "../mapping/run-mapping.ts";

const shownProblems = 50;

/** The first records as the platform would get them, and every problem with its source field. */
function describeSamples(samples: readonly MappedSample[], shownRecords: number): string {
  const shown = samples
    .slice(0, shownRecords)
    .map(({ record }, index) => `Record ${index + 1}\n${indentJson(JSON.stringify(record ?? null), "  ")}`);
  const rows = samples.flatMap(({ problems }, index) =>
    problems.map(({ field, text, source }) => [String(index + 1), source ?? "–", field, text]),
  );
  const bad = samples.filter(({ problems }) => problems.length > 0).length;
  const table = textTable([["Record", "Source field", "Member", "Problem"], ...rows.slice(0, shownProblems)]);
  const more = rows.length > shownProblems ? [`  … and ${rows.length - shownProblems} more`] : [];
  const count = `${samples.length} ${samples.length === 1 ? "record" : "records"}`;
  const end = bad === 0 ? `${count}, all valid.` : `${count}, ${bad} of them with problems.`;
  return [...shown, ...(rows.length === 0 ? [] : [`Problems\n${table}`, ...more]), end].join("\n\n");
}

const valueShown = (value: unknown): string => {
  const text = oneLine(JSON.stringify(value) ?? "nothing");
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};

const shownRecords = 3;
const shownDifferences = 20;

export const mapCommand = defineCommand({
  name: "map",
  summary: "run a mapping on a sample file and show what the platform would get",
  details:
    "Nothing is fetched and nothing is sent. Prints the mapped records, and every contract error beside the " +
    "source field it comes from. --save stores sample and result as a mapping test in mapping-tests beside the " +
    "configuration; --test runs all of them. Exit code 1 if a record has a problem or a test has a difference.",
  arguments: [{ name: "file", description: "a sample: JSON, XML or CSV with a header row", isOptional: true }],
  options: {
    mapping: { value: "FILE", description: "a YAML or JSON file with the mapping" },
    config: {
      value: "FILE",
      description: "configuration with the mapping (else CROSSDOCK_CONFIG, else crossdock.yaml)",
    },
    at: { value: "PATH", description: "the mapping's path, such as connectors.erp.operations.listWorkOrders.map" },
    connector: { value: "NAME", description: "instead of --at: the connector of the mapping" },
    operation: { value: "ID", description: "instead of --at: the operation, such as listWorkOrders" },
    as: { value: "NAME", description: `what the records become: ${pushTopics.join(", ")} or an operation` },
    records: { value: "PATH", description: "path of the list of records in the file, such as data.items" },
    json: { description: "print all records and problems as JSON" },
    save: { value: "NAME", description: "save sample and result as a mapping test" },
    test: { description: "run all mapping tests and show differences" },
  },
  examples: [
    { command: "crossdock map order.json --mapping erp.yaml", does: "shows the orders made from a sample" },
    {
      command: "crossdock map items.xml --connector erp --operation getItem",
      does: "uses the mapping in the configuration",
    },
    { command: "crossdock map order.json --connector erp --save two-lots", does: "saves it as a test" },
    { command: "crossdock map --test", does: "runs the tests" },
  ],
  run: async ({ arguments: { file }, options, terminal }) => {
    if (options.test) return (await runTests(options, terminal)) ? "ok" : "failed";
    if (file === "") {
      throw new CommandFailure("no sample file is given", { next: "crossdock map FILE, or crossdock map --test" });
    }
    const found = await findMapping(options, terminal);
    const serves = options.as === undefined ? found.serves : servesOf(options.as);
    if (options.as !== undefined && serves === undefined) {
      const next = `write --as ${pushTopics.join(", --as ")}, or a query`;
      throw new CommandFailure(`records cannot become ${options.as}`, { next });
    }
    const records = await readSample(bytesOf(file, terminal), file, options.records ?? found.records);
    // Work orders by default: most mappings are for orders, and for any other the first error shows what is wrong.
    const needs = { ...found, records, serves: serves === undefined ? ("workOrders" as const) : serves };
    const samples = await run(needs);
    terminal.print(options.json ? JSON.stringify(samples, null, 2) : describeSamples(samples, shownRecords));
    if (options.save === undefined) return samples.every(({ problems }) => problems.length === 0) ? "ok" : "failed";
    const test = { mapping: found.place, as: needs.serves, sample: records, expected: samples };
    terminal.complain(`Saved as ${saveMappingTest(found.folder, options.save, test)}; crossdock map --test runs it.`);
    return "ok";
  },
});

async function runTests(request: Pick<MappingRequest, "config">, terminal: Terminal): Promise<boolean> {
  const folder = dirname(configFileOf(request, terminal));
  let isGood = true;
  for (const { name, test } of savedMappingTests(folder)) {
    const { file, at } = test.mapping;
    const mapping = file === undefined ? undefined : resolve(folder, file);
    const meant = { config: request.config, mapping, at, connector: undefined, operation: undefined };
    const samples = await run({ ...(await findMapping(meant, terminal)), records: test.sample, serves: test.as });
    const differences = jsonDifferences(test.expected, JSON.parse(JSON.stringify(samples)));
    terminal.print(`${differences.length === 0 ? "same     " : "different"}  ${name}`);
    for (const { path, expected, found } of differences.slice(0, shownDifferences)) {
      terminal.print(`  ${oneLine(path)}: was ${valueShown(expected)}, is ${valueShown(found)}`);
    }
    if (differences.length > shownDifferences) terminal.print(`  … and ${differences.length - shownDifferences} more`);
    isGood &&= differences.length === 0;
  }
  return isGood;
}

/** An error in the rules is an error of the configuration, and is reported in the same form. */
async function run({ place, ...needs }: Pick<FoundMapping, "place"> & Parameters<typeof runMapping>[0]) {
  try {
    return await runMapping(needs);
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    const source = place.file ?? place.at ?? "";
    throw new ConfigError(error.problems.map((problem) => ({ source, text: ruleProblemText(problem) })));
  }
}

function bytesOf(file: string, { cwd }: Terminal): Buffer {
  try {
    return readFileSync(resolve(cwd, file));
  } catch {
    throw new CommandFailure(`${file} cannot be read`, { next: "check the path and the file's permissions" });
  }
}

interface JsonDifference {
  /** The path of the difference, such as `[0].record.requests[2].itemNumber`. */
  readonly path: string;
  readonly expected: unknown;
  readonly found: unknown;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Where two JSON values differ; the order of members does not count. */
function jsonDifferences(expected: unknown, found: unknown, path = ""): JsonDifference[] {
  if (!isObject(expected) || !isObject(found) || Array.isArray(expected) !== Array.isArray(found)) {
    return Object.is(expected, found) ? [] : [{ path, expected, found }];
  }
  const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
  return [...names].flatMap((name) => {
    const inner = Array.isArray(expected) ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
    return jsonDifferences(own(expected, name), own(found, name), inner);
  });
}

const own = (value: object, name: string): unknown =>
  Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
