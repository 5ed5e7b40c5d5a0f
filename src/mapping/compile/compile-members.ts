import { type Condition, holds } from "../../formats/import/where.ts";
import { nearestName } from "../../kit/nearest-name.ts";
import {
  compileHolds,
  compileRecordFilter,
  conditionFlaw,
  filterExpression,
  type RecordFilter,
  whereProblems,
} from "../record-filter.ts";
import { complain, type Read, type Run, type Site } from "../run.ts";
import { compileSource } from "../source/read-source.ts";
import { elementShape } from "../source/source-shape.ts";
import { anyTarget, type Target } from "../target.ts";
import { checkKeys, checkNames, compileRule, type Options, wayOf } from "./compile-rule.ts";
import { type Compiling, inside, isSampled, joined, member, type Place, type Rule } from "./compiling.ts";
import { mapList } from "./map-list.ts";

type Members = Record<string, unknown>;
interface NamedRule {
  readonly name: string;
  readonly rule: Rule;
}

/** The contract is never nested this deep. A configuration that is must have a mistake. */
const maxDepth = 20;

/** The rules of one object. */
export function compileMembers(spec: unknown, target: Target, place: Place, compiling: Compiling): Read {
  if (!isObject(spec)) {
    compiling.problems.push({ path: place.path, text: "must be an object: member of the contract → rule" });
    return () => undefined;
  }
  if (place.path.split(".").length > maxDepth) {
    compiling.problems.push({ path: place.path, text: `is nested deeper than ${maxDepth} levels` });
    return () => undefined;
  }
  const rules = Object.entries(spec).flatMap(([name, rule]) => {
    const at = member(place, name);
    const known = targetOfMember(name, target, at, compiling);
    return known === undefined ? [] : [{ name, rule: compileMember(rule, known, at, compiling) }];
  });
  if (!compiling.isPartial) {
    for (const name of target.required ?? []) {
      if (!Object.hasOwn(spec, name))
        compiling.problems.push({ path: place.path, text: `${name} is required and has no rule` });
    }
  }
  return objectOf(rules);
}

function targetOfMember(name: string, { members }: Target, at: Place, { problems }: Compiling): Target | undefined {
  if (name === "__proto__") {
    problems.push({ path: at.path, text: "this name is not allowed" });
    return undefined;
  }
  if (members === undefined) return anyTarget;
  if (Object.hasOwn(members, name)) return members[name];
  const near = nearestName(name, Object.keys(members));
  const hint = near === undefined ? `there are ${Object.keys(members).join(", ")}` : `did you mean ${near}?`;
  problems.push({ path: at.path, text: `the contract has no such member; ${hint}` });
  return undefined;
}

function compileMember(spec: unknown, target: Target, place: Place, compiling: Compiling): Rule {
  if (!isObject(spec)) return compileRule(spec, target, place, compiling);
  const way = wayOf(spec);
  if (way !== undefined) checkKeys(way, spec, place, compiling);
  if (way === "each") return compileEach(spec, target, place, compiling);
  if (way === "members") return nested(spec["members"], target, inside(place, "members"), compiling);
  if (way !== undefined) return compileRule(spec, target, place, compiling);
  if (target.kind === "object" || target.kind === "any" || target.kind === "text") {
    return nested(spec, target, place, compiling);
  }
  const text =
    target.kind === "list" ? "is a list; write { each: Lines, map: {…} }" : "is a single value; the rule needs from";
  compiling.problems.push({ path: place.path, text });
  return { read: () => undefined };
}

function nested(spec: unknown, target: Target, place: Place, compiling: Compiling): Rule {
  const before = compiling.expressionCount;
  const read = compileMembers(spec, target.kind === "object" ? target : anyTarget, place, compiling);
  if (target.kind !== "text") return { read };
  // If the contract expects a text, the object is written as JSON after all its members are complete.
  if (compiling.expressionCount === before)
    return { read: (record, run) => JSON.stringify(read(record, { ...run, mayWait: false })) };
  return {
    later: async (record, run) => {
      const own: Run = { ...run, jobs: [] };
      const made = read(record, own);
      for (const job of own.jobs) await job();
      return JSON.stringify(made);
    },
  };
}

/**
 * Compiles `{ each: Lines, where: { Type: Item }, map: {…} }`: one object per element; a single object counts as a list
 * of one. An expression can make lists that no field has, such as lines grouped by item and lot.
 */
function compileEach(options: Options, target: Target, place: Place, compiling: Compiling): Rule {
  if (target.kind !== "list" && target.kind !== "any") {
    compiling.problems.push({ path: place.path, text: "is not a list in the contract; each is only for lists" });
  }
  const each = options["each"];
  const isExpression = typeof each === "string" && each.trimStart().startsWith("=");
  const made = isExpression ? compileRule(each, anyTarget, inside(place, "each"), compiling) : undefined;
  const source = isExpression ? undefined : compileSource(each, inside(place, "each"), compiling);
  if (source !== undefined) compiling.sources.set(place.field, source.written);
  const inList: Place = {
    ...place,
    field: `${place.field}[]`,
    bases: [...place.bases, source?.written ?? ""],
    shapes: [...place.shapes, elementShape(source?.shape ?? null)],
  };
  const passes = compileWhere(options["where"], inside(inList, "where"), compiling);
  const map = compileMembers(options["map"], target.element ?? anyTarget, inside(inList, "map"), compiling);
  const level = place.bases.length;
  const asList = (found: unknown): readonly unknown[] =>
    Array.isArray(found) ? found : found === undefined ? [] : [found];
  const add = (mapped: unknown[], element: unknown, run: Run) => {
    run.indexes[level - 1] = mapped.length;
    mapped.push(map(element, run));
  };
  const mapAll = (list: readonly unknown[], run: Run, isPassed: Passes | undefined): unknown[] =>
    mapList(list, run, (mapped, element, own) => {
      own.records[level] = element;
      if (isPassed === undefined || isPassed(element, own)) add(mapped, element, own);
    });
  const isMade = made !== undefined && "later" in made;
  if (source === undefined && !isMade) return { read: () => undefined };
  const site = { field: place.field, source: String(options["where"]) };
  if (isMade || typeof passes === "object") {
    return {
      later: async (record, run) => {
        const list = asList(isMade ? await made.later(record, run) : source?.read(record, run));
        if (typeof passes === "object") return filteredLater(list, { ...passes, site, level, add }, run);
        const own: Run = { ...run, jobs: [] };
        const mapped = mapAll(list, own, passes);
        for (const job of own.jobs) await job();
        return mapped;
      },
    };
  }
  return { read: (record, run) => mapAll(asList(source?.read(record, run)), run, passes) };
}

type Passes = (record: unknown, run: Run) => boolean;
interface Filtering {
  readonly filter: RecordFilter;
  readonly site: Site;
  readonly level: number;
  readonly add: (mapped: unknown[], element: unknown, run: Run) => void;
}

/**
 * Returns the elements that pass an expression. If it cannot decide for one, the record gets a problem: the element
 * must not be lost silently.
 */
async function filteredLater(list: readonly unknown[], needs: Filtering, run: Run): Promise<unknown[]> {
  const { filter, site, level, add } = needs;
  const own: Run = { ...run, jobs: [] };
  const mapped: unknown[] = [];
  for (const element of list) {
    own.records[level] = element;
    const verdict = await filter(element, { root: own.records[0], parent: own.records[level - 1] });
    if (typeof verdict === "object") complain(site, own, verdict.reason);
    if (verdict === true) add(mapped, element, own);
  }
  for (const job of own.jobs) await job();
  return mapped;
}

function compileWhere(
  spec: unknown,
  place: Place,
  compiling: Compiling,
): Passes | { readonly filter: RecordFilter } | undefined {
  if (spec === undefined) return undefined;
  if (typeof spec === "string" && spec.trimStart().startsWith("=")) {
    compiling.expressionCount++;
    const wrong = whereProblems(spec, []);
    for (const { text } of wrong) compiling.problems.push({ path: place.path, text });
    if (wrong.length > 0) return undefined;
    checkNames(filterExpression(spec).ast, spec, place, compiling);
    return { filter: compileRecordFilter(spec) };
  }
  if (!isObject(spec))
    compiling.problems.push({
      path: place.path,
      text: "must be an object: path → value or values that pass, or an expression that begins with =",
    });
  const tests = Object.entries(isObject(spec) ? spec : {}).flatMap(([path, given]) => {
    const at = { ...place, path: joined(place.path, path) };
    const flaw = conditionFlaw(given);
    if (flaw !== undefined) {
      compiling.problems.push({ path: at.path, text: flaw });
      return [];
    }
    // Just checked against its schema.
    const condition = given as Condition;
    // A record without the member meets this condition, so samples may lack it.
    if (isSampled(place) && holds(condition, undefined)) return [];
    const source = compileSource(path, at, compiling);
    return source === undefined ? [] : [{ read: source.read, passes: compileHolds(condition) }];
  });
  return (record, run) => tests.every(({ read, passes }) => passes(read(record, run)));
}

function objectOf(rules: readonly NamedRule[]): Read {
  const now = rules.flatMap(({ name, rule }) => ("read" in rule ? [{ name, read: rule.read }] : []));
  if (now.length === rules.length) {
    return (record, run) => {
      const made: Members = {};
      for (const { name, read } of now) {
        const value = read(record, run);
        if (value !== undefined) made[name] = value;
      }
      return made;
    };
  }
  return (record, run) => {
    const made: Members = {};
    for (const { name, rule } of rules) {
      const value = "read" in rule ? rule.read(record, run) : later(rule.later, { record, run, made, name });
      if (value !== undefined || "later" in rule) made[name] = value;
    }
    return made;
  };
}

/** Reserves the member's place until its value is computed, so that members keep the order of the rules. */
function later(
  evaluate: Extract<Rule, { later: unknown }>["later"],
  { record, run, made, name }: { record: unknown; run: Run; made: Members; name: string },
): undefined {
  // Copied, because the list positions have moved on when it is evaluated.
  const then: Run = { ...run, records: [...run.records], indexes: [...run.indexes] };
  run.jobs.push(async () => {
    const value = await evaluate(record, then);
    if (value === undefined) delete made[name];
    else made[name] = value;
  });
  return undefined;
}

const isObject = (value: unknown): value is Options =>
  typeof value === "object" && value !== null && !Array.isArray(value);
