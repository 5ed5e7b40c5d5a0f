import { basename } from "node:path";
import { type TObject, Type } from "typebox";
import { Default } from "typebox/value";
import { derivedEventIds, isDerivedEvent } from "../../contract/derived-events.ts";
import { type OfferedId, operationIds, operationRow } from "../../contract/operations.ts";
import { validator } from "../../contract/validate/validator.ts";
import type { Log } from "../../kit/log.ts";
import { nearestName } from "../../kit/nearest-name.ts";
import { localise } from "../../messages/localise.ts";
import { Fault, problemText } from "../../operation/fault.ts";
import type { OptionProblem } from "../../operation/option-problem.ts";
import type { AnyOutcome } from "../../operation/outcome.ts";
import { sentDigits } from "../../operation/platform-ids.ts";
import { readUpdate } from "../../operation/read-update.ts";
import { type CallContext, defineConnector, type OpenConnector } from "../../sdk/connector.ts";
import { loadDefinition, WrongModule } from "./load-definition.ts";

/** The options of a customer's connector with their defaults, and the problems found in them. */
function ownOptions(
  schema: TObject,
  given: Readonly<Record<string, unknown>>,
): { value: Record<string, unknown>; problems: OptionProblem[] } {
  // The schema describes an object, and filling in defaults keeps it an object.
  const value = Default(schema, fitted(schema, structuredClone(given))) as Record<string, unknown>;
  const { isValid, problems } = validator(schema);
  if (isValid(value)) return { value, problems: [] };
  return {
    value,
    problems: problems(value).map(({ found: _, ...problem }) => ({
      path: problem.field,
      // Without the value: it may be a secret, and errors end up in logs.
      text: localise(problemText({ ...problem, field: "this" }), "en").replace(/^this: /, ""),
    })),
  };
}

/** The JSON Schema members that TypeBox's type hides. */
interface Shape {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

/** Environment variables are always text: a port or a flag from there is converted to the type in the schema. */
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

/** The compiler checks this too, but a file may be loaded without being compiled. */
function checkedOperations(connector: OpenConnector, path: string, log: Log): OpenConnector["operations"] {
  const file = basename(path);
  /** The platform applies an update at once, so it is checked like that of any other external system. */
  const withUpdate = async (id: OfferedId, outcome: AnyOutcome, input: unknown, context: CallContext) => {
    if (!outcome.ok || outcome.data === null || outcome.data === undefined) return outcome;
    const sent = await sentDigits(context.delivery?.body ?? "");
    const { update, ignored } = readUpdate(outcome.data, input, sent);
    if (ignored !== null) log.warn({ file, operation: id, reason: ignored }, "the update in the answer was ignored");
    return { ...outcome, data: { updateWorkOrderRequest: update } };
  };
  // The loop below checks that each is a function.
  const given = Object.entries(connector.operations ?? {}) as [string, Run][];
  const checked = given.map(([id, run]) => {
    if (!isOffered(id)) {
      const near = nearestName(id, offered);
      throw new Fault(
        "broken",
        `${file} offers ${JSON.stringify(id)}, which is not an operation of the contract. ${
          near === undefined ? "" : `Did you mean ${near}? `
        }Operations: ${offered.join(", ")}.`,
      );
    }
    if (typeof run !== "function") throw new Fault("broken", `${file}: ${id} is not a function`);
    return [
      id,
      (input: unknown, context: CallContext) => {
        const answer = run(input, context);
        const { kind, data } = operationRow(id);
        if (kind === "event" && data !== undefined) {
          return Promise.resolve(answer).then((outcome: unknown) =>
            withUpdate(id, checkedOutcome(id, outcome, file), input, context),
          );
        }
        return answer instanceof Promise
          ? answer.then((outcome: unknown) => checkedOutcome(id, outcome, file))
          : checkedOutcome(id, answer, file);
      },
    ];
  });
  // Each operation has its own input and outcome type; a table of all operations cannot express that.
  return Object.fromEntries(checked) as OpenConnector["operations"];
}

/** A misspelt derived event would never be sent, and nobody would notice. */
function checkedDerived({ derived }: OpenConnector, path: string): Pick<OpenConnector, "derived"> {
  if (derived === undefined) return {};
  const file = basename(path);
  // The loop below checks names and functions.
  const given = Object.entries(derived) as [string, Run][];
  const checked = given.map(([id, run]) => {
    if (!isDerivedEvent(id)) {
      const near = nearestName(id, derivedEventIds);
      throw new Fault(
        "broken",
        `${file} has ${JSON.stringify(id)} in derived, which is no derived event. ${
          near === undefined ? "" : `Did you mean ${near}? `
        }Derived events: ${derivedEventIds.join(", ")}.`,
      );
    }
    if (typeof run !== "function") throw new Fault("broken", `${file}: ${id} is not a function`);
    return [
      id,
      async (input: unknown, context: CallContext) => {
        const outcome = await run(input, context);
        // The condition checks it.
        if (typeof (outcome as { ok?: unknown } | null)?.ok === "boolean") return outcome as AnyOutcome;
        throw new Fault("broken", `${file}: ${id} returned neither ok(…) nor refuse(…)`);
      },
    ];
  });
  // As above: each has its own input type.
  return { derived: Object.fromEntries(checked) as OpenConnector["derived"] & object };
}

// The list's type has only known names; includes() accepts no other text.
const isOffered = (id: string): id is OfferedId => (offered as readonly string[]).includes(id);

function checkedOutcome(id: OfferedId, outcome: unknown, file: string): AnyOutcome {
  // Each member is checked below.
  const { ok, result } = (outcome ?? {}) as { ok?: unknown; result?: unknown };
  // The data is checked against the contract by the server.
  if (ok === true) return outcome as AnyOutcome;
  if (ok !== false) throw new Fault("broken", `${file}: ${id} returned neither ok(…) nor refuse(…)`);
  const { results, success } = operationRow(id);
  const allowed = results.filter((name) => name !== success);
  // ok is false and the result is one of this operation's: a refusal.
  if (typeof result === "string" && allowed.includes(result)) return outcome as AnyOutcome;
  throw new Fault(
    "broken",
    `${file}: ${id} refused with ${JSON.stringify(result)}, which is not a result of this operation. Its refusals are ${allowed.join(", ")}.`,
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

/** A customer's own connector, loaded from a file. */
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
    const operations = checkedOperations(connector, path, context.log);
    return { ...connector, operations, ...checkedDerived(connector, path) };
  },
});
