import type { ConfigPath, ConfigProblem, Objection } from "../../config/document/config-error.ts";
import { pathText } from "../../config/document/config-error.ts";
import { holds, type Where } from "../../formats/import/where.ts";
import { parsedPath } from "../../kit/json/member-path.ts";
import { mappedSchema, mappingProblems } from "../../mapping/compile-mapping.ts";
import { unknownNames } from "../../mapping/expressions/expression-names.ts";
import { filterExpression } from "../../mapping/record-filter.ts";
import { shapeAt } from "../../mapping/source/read-source.ts";
import { sampledShape } from "../../mapping/source/sampled-shape.ts";
import type { SourceShape } from "../../mapping/source/source-shape.ts";
import type { OptionProblem } from "../../operation/option-problem.ts";
import { presets } from "../../presets/catalogue.ts";
import type { SampledRecord } from "../../sdk/connector.ts";

type Options = Readonly<Record<string, unknown>>;

/** What a connector's options read from its records, and no record has. */
export interface MissingNames {
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

export interface MissingNeeds {
  readonly connector: string;
  readonly options: Options;
  readonly samples: readonly SampledRecord[];
  readonly describe: (objections: readonly Objection[]) => readonly ConfigProblem[];
}

/**
 * Compares the names that mappings and filters read with those of the records that were read. A typing error in a name
 * makes a member empty for good, and nobody would notice. A name that a record has, if only with null, is right.
 */
export function missingNames({ connector, options, samples, describe }: MissingNeeds): MissingNames {
  const errors: string[] = [];
  const warnings: string[] = [];
  const placeOf = (path: ConfigPath): string => {
    const [{ source, line, column } = { source: "" }] = describe([
      { path: ["connectors", connector, ...path], text: "" },
    ]);
    return line === undefined ? "" : ` (${source}:${line}:${column})`;
  };
  for (const { path, serves, records } of byPlace(samples)) {
    const own = valueAt(options, path);
    if (!isObject(own)) continue;
    const read = records.length === 1 ? "1 record was read" : `${records.length} records were read`;
    for (const { path: inner, text } of namesMissing(own, serves, sampledShape(records))) {
      const at = [...path, ...[inner].flat()];
      if (isOfPreset(options, at)) continue;
      const sentence = `${pathText(at)}${placeOf(at)}: ${text} (${read})`;
      // Without its line a cancellation cancels the whole order; without the lot, all lines of the item.
      const isLine = serves === "cancellations" && at.some((name) => lineMembers.has(name));
      if (isLine) errors.push(`${sentence}. Without it, the cancellation of one line cancels more than that${wayOut}`);
      else warnings.push(`${sentence}${wayOut}`);
    }
  }
  return { errors, warnings };
}

/** The members of a cancellation that say which line it is about. */
const lineMembers: ReadonlySet<string | number> = new Set(["requestExternalIdentifier", "itemNumber", "lotNumber"]);

const wayOut = '. If the name is right and only these records lack it, write it in quotes: ["name"]';

function namesMissing(own: Options, serves: SampledRecord["serves"], source: SourceShape): readonly OptionProblem[] {
  const { map, where } = own;
  const target = mappedSchema(serves);
  const known = new Set(mappingProblems(map, { target, path: ["map"] }).map(written));
  return [
    ...mappingProblems(map, { target, source, path: ["map"] }).filter((one) => !known.has(written(one))),
    ...(typeof where === "string" ? inExpression(where, source) : isObject(where) ? inConditions(where, source) : []),
  ];
}

const written = ({ path, text }: OptionProblem): string => `${pathText([path].flat())} ${text}`;

function inConditions(where: Options, source: SourceShape): OptionProblem[] {
  return Object.entries(where).flatMap(([name, condition]) => {
    const path = parsedPath(name);
    // The configuration was checked, so it is a condition. A record without the member may meet it.
    if (path === null || holds(condition as Where[string], undefined)) return [];
    const followed = shapeAt(path, source);
    return "problem" in followed ? [{ path: ["where", name], text: followed.problem }] : [];
  });
}

const inExpression = (where: string, here: SourceShape): OptionProblem[] =>
  unknownNames(filterExpression(where).ast, { here, variables: { root: here, parent: null } }).map(({ text }) => ({
    path: ["where"],
    text,
  }));

interface SampledPlace extends Pick<SampledRecord, "path" | "serves"> {
  readonly records: unknown[];
}

function byPlace(samples: readonly SampledRecord[]): SampledPlace[] {
  const places = new Map<string, SampledPlace>();
  for (const { path, serves, record } of samples) {
    const key = pathText(path);
    const place = places.get(key) ?? { path, serves, records: [] };
    place.records.push(record);
    places.set(key, place);
  }
  return [...places.values()];
}

/** Whether a preset has exactly this rule. Its names are those of the system; many are there only with some settings. */
function isOfPreset(options: Options, path: ConfigPath): boolean {
  const preset = presets.find(({ name }) => name === options["preset"]);
  const rule = preset === undefined ? undefined : valueAt(preset.options, path);
  return rule !== undefined && JSON.stringify(rule) === JSON.stringify(valueAt(options, path));
}

const valueAt = (options: unknown, path: ConfigPath): unknown =>
  // Any object or list can be read by a name; the value is unknown again.
  path.reduce<unknown>((owner, name) => (Object(owner) as Options)[name], options);

const isObject = (value: unknown): value is Options =>
  typeof value === "object" && value !== null && !Array.isArray(value);
