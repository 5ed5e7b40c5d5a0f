import { type AskId, operationRow, type TellId } from "../../contract/operations.ts";
import type { DateSettings } from "../../sdk/dates.ts";
import { Fault } from "../../sdk/fault.ts";
import { type BoundStatement, boundStatement } from "./bound-statement.ts";
import { type CompiledAsk, compileAsk } from "./compile-ask.ts";
import { type CompiledTell, compileTell } from "./compile-tell.ts";
import type { Compiling, OptionProblem } from "./compiling.ts";
import { insertDelivered } from "./delivered-table.ts";
import { optionDefaults } from "./option-defaults.ts";
import { type AskOptions, askIds, type SqlOptions, type TellOptions, tellIds } from "./options.ts";
import { type CompiledPoll, compilePoll } from "./poll-source.ts";
import { poolSettings } from "./pool-settings.ts";
import { dialects } from "./statement/dialect.ts";
import { scopeOfNames } from "./statement/parameter-scope.ts";

export interface CompiledOptions {
  readonly asks: readonly CompiledAsk[];
  readonly tells: ReadonlyMap<TellId, CompiledTell>;
  readonly notices: CompiledTell | undefined;
  readonly polls: readonly CompiledPoll[];
  readonly markDelivered: BoundStatement | undefined;
  /** Everything that is wrong in the options beyond their schema. */
  readonly problems: readonly OptionProblem[];
}

/** Compiles all statements and mappings, and names every mistake at once. Nothing is opened. */
export function compileOptions(options: SqlOptions, dates: DateSettings): CompiledOptions {
  const compiling: Compiling = { dialect: dialects[options.driver], dates, problems: [] };
  const { problems } = compiling;
  const operations = options.operations ?? {};
  const commonRefusals = options.refusals ?? [];
  checkConnection(options, problems);
  checkCommonRefusals(options, problems);

  const asks = given<AskId, AskOptions>(askIds, operations).map(([id, one]) => compileAsk(id, one, compiling));
  const tells = given<TellId, TellOptions>(tellIds, operations).map(([id, one]) => {
    const place = { name: id, row: operationRow(id), path: ["operations", id], commonRefusals };
    return [id, compileTell(one, place, compiling)] as const;
  });
  const notices =
    options.notices &&
    compileTell(options.notices, { name: "notices", row: null, path: ["notices"], commonRefusals: [] }, compiling);
  const isTable = (options.idempotency ?? optionDefaults.idempotency) === "table";
  if (!isTable) {
    for (const [id, tell] of tells) demandEntryId(tell, ["operations", id], problems);
    if (notices !== undefined) demandEntryId(notices, ["notices"], problems);
  }
  const insert = insertDelivered(options.deliveredTable ?? optionDefaults.deliveredTable);
  return {
    asks,
    tells: new Map(tells),
    notices,
    polls: (options.poll ?? []).map((poll, index) => compilePoll(poll, index, compiling)),
    markDelivered: isTable ? boundStatement(insert, scopeOfNames(["entryId"]), [], compiling) : undefined,
    problems,
  };
}

function given<Id extends string, Options>(
  ids: readonly Id[],
  operations: { readonly [Key in Id]?: Options | undefined },
): (readonly [Id, Options])[] {
  return ids.flatMap((id) => {
    const one = operations[id];
    return one === undefined ? [] : [[id, one] as const];
  });
}

function checkConnection(options: SqlOptions, problems: OptionProblem[]): void {
  try {
    poolSettings(options);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    problems.push({ path: [], text: error.message });
  }
}

function checkCommonRefusals({ refusals = [] }: SqlOptions, problems: OptionProblem[]): void {
  const known = new Set(tellIds.map(operationRow).flatMap((row) => row.results.filter((name) => name !== row.success)));
  for (const [index, { result }] of refusals.entries()) {
    if (known.has(result)) continue;
    const text = `no event has the refusal ${result}; there is ${[...known].join(", ")}`;
    problems.push({ path: ["refusals", index, "result"], text });
  }
}

function demandEntryId({ statements }: CompiledTell, path: OptionProblem["path"], problems: OptionProblem[]): void {
  const at = [...path, "statements"];
  const marking = statements.filter(({ statement }) => statement.uses.has("entryId"));
  if (marking.length === 0) {
    const text = "with `idempotency: column` one statement must write :entryId, or a repeated event is done twice";
    problems.push({ path: at, text });
    return;
  }
  for (const [index, { statement, each }] of statements.entries()) {
    if (each === undefined || !statement.uses.has("entryId") || statement.uses.has("eachIndex")) continue;
    const text =
      "with `idempotency: column` the second row of a list would be a duplicate of the first: write :eachIndex beside " +
      ":entryId and make the key unique over both columns, or use `idempotency: table`";
    problems.push({ path: [...at, index], text });
  }
  const lists = new Set(statements.map(({ each }) => each?.join(".")));
  if (lists.size > 1 && marking.every(({ each }) => each !== undefined)) {
    const text =
      "with `idempotency: column` a statement without `each` must write :entryId: where the list is empty, nothing " +
      "would say that the event was delivered";
    problems.push({ path: at, text });
  }
}
