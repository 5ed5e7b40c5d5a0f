import { Type } from "typebox";
import { defineConnector } from "../../sdk/connector.ts";
import { checkedOperations } from "./checked-operations.ts";
import { loadDefinition, WrongModule } from "./load-definition.ts";
import { ownOptions } from "./own-options.ts";

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
