import { basename } from "node:path";
import { type TObject, Type } from "typebox";
import { Default } from "typebox/value";
import { type OfferedId, operationIds, operationRow } from "../../contract/operations.ts";
import { validator } from "../../contract/validate/validator.ts";
import { nearestName } from "../../kit/nearest-name.ts";
import { localise } from "../../messages/localise.ts";
import { Fault, problemText } from "../../operation/fault.ts";
import type { OptionProblem } from "../../operation/option-problem.ts";
import type { AnyOutcome } from "../../operation/outcome.ts";
import { type CallContext, defineConnector, type OpenConnector } from "../../sdk/connector.ts";
import { loadDefinition, WrongModule } from "./load-definition.ts";

/** The options of a customer's connector with their defaults, and what is wrong with them. */
function ownOptions(
  schema: TObject,
  given: Readonly<Record<string, unknown>>,
): { value: Record<string, unknown>; problems: OptionProblem[] } {
  // The schema is an object's, and filling an object in leaves it one.
  const value = Default(schema, fitted(schema, structuredClone(given))) as Record<string, unknown>;
  const { isValid, problems } = validator(schema);
  if (isValid(value)) return { value, problems: [] };
  return {
    value,
    problems: problems(value).map(({ found: _, ...problem }) => ({
      path: problem.field,
      // Without what was found: it may be a secret, and errors end up in logs.
      text: localise(problemText({ ...problem, field: "this" }), "en").replace(/^this: /, ""),
    })),
  };
}

/** What JSON Schema says of a value; TypeBox hides it. */
interface Shape {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

/** The environment has texts only: a port or a flag that comes from there is made what the schema wants. */
function fitted(shape: Shape | undefined, value: unknown): unknown {
  if (typeof value === "string") {
    const { type } = shape ?? {};
    if ((type === "integer" || type === "number") && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
    return type === "boolean" && /^(true|false)$/.test(value) ? value === "true" : value;
  }
  if (Array.isArray(value)) return value.map((one: unknown) => fitted(shape?.items, one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, fitted(shape?.properties?.[name], member)]),
  );
}

type Run = (input: unknown, context: CallContext) => unknown;
const offered = operationIds.filter((id): id is OfferedId => operationRow(id).budget !== "none");

/** The compiler says the same, but a file may have been written without asking it. */
function checkedOperations(connector: OpenConnector, path: string): OpenConnector["operations"] {
  const file = basename(path);
  // That each is a function is checked below.
  const given = Object.entries(connector.operations ?? {}) as [string, Run][];
  const checked = given.map(([id, run]) => {
    if (!isOffered(id)) {
      const near = nearestName(id, offered);
      throw new Fault(
        "broken",
        `${file} offers ${JSON.stringify(id)}, which is no operation of the contract. ${
          near === undefined ? "" : `Did you mean ${near}? `
        }Operations: ${offered.join(", ")}.`,
      );
    }
    if (typeof run !== "function") throw new Fault("broken", `${file}: ${id} is no function`);
    return [
      id,
      (input: unknown, context: CallContext) => {
        const answer = run(input, context);
        return answer instanceof Promise
          ? answer.then((outcome: unknown) => checkedOutcome(id, outcome, file))
          : checkedOutcome(id, answer, file);
      },
    ];
  });
  // Each takes the input and gives the outcome of its own row; a list of all of them cannot say that.
  return Object.fromEntries(checked) as OpenConnector["operations"];
}

// The list has fewer names than a text may be; includes() takes only those.
const isOffered = (id: string): id is OfferedId => (offered as readonly string[]).includes(id);

function checkedOutcome(id: OfferedId, outcome: unknown, file: string): AnyOutcome {
  // Looked at member by member below.
  const { ok, result } = (outcome ?? {}) as { ok?: unknown; result?: unknown };
  // Its data is checked against the contract where it is answered.
  if (ok === true) return outcome as AnyOutcome;
  if (ok !== false) throw new Fault("broken", `${file}: ${id} returned neither ok(…) nor refuse(…)`);
  const { results, success } = operationRow(id);
  const allowed = results.filter((name) => name !== success);
  // ok is false and the result is one of this operation's: a refusal.
  if (typeof result === "string" && allowed.includes(result)) return outcome as AnyOutcome;
  throw new Fault(
    "broken",
    `${file}: ${id} refused with ${JSON.stringify(result)}, which its row does not have. There are ${allowed.join(", ")}.`,
  );
}

const options = Type.Object(
  {
    path: Type.String({
      description:
        "The file with your connector (`.ts` or `.js`), whose default export is `defineConnector({ … })` of `crossdock/sdk`.",
      minLength: 1,
      relativeTo: "configuration",
      reopenOnChange: true,
    }),
    options: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "The options that your connector defines; checked against its own schema.",
        default: {},
      }),
    ),
  },
  { additionalProperties: false },
);

/** A customer's own connector, from a file of theirs. */
export const module = defineConnector({
  type: "module",
  summary: "A connector of your own, in TypeScript.",
  options,
  validate: async ({ path, options: given = {} }) => {
    try {
      const definition = await loadDefinition(path);
      const { value, problems } = ownOptions(definition.options, given);
      const own = problems.length > 0 ? [] : ((await definition.validate?.(value)) ?? []);
      return [...problems, ...own].map((problem) => ({
        ...problem,
        path: typeof problem.path === "string" ? `options.${problem.path}` : ["options", ...problem.path],
      }));
    } catch (error) {
      if (!(error instanceof WrongModule)) throw error;
      return [{ path: ["path"], text: error.message, hint: error.hint }];
    }
  },
  offers: async ({ path, options: given = {} }) => {
    const definition = await loadDefinition(path);
    return await definition.offers?.(ownOptions(definition.options, given).value);
  },
  open: async ({ path, options: given = {} }, context) => {
    const definition = await loadDefinition(path);
    const connector = await definition.open(ownOptions(definition.options, given).value, context);
    return { ...connector, operations: checkedOperations(connector, path) };
  },
});
