import { embedded } from "../connectors/embedded/connector.ts";
import { operationIds, operationRow } from "../contract/operations.ts";
import type { ConnectorDefinition } from "../sdk/connector.ts";
import type { Config } from "./config-schema.ts";
import type { Base } from "./generation.ts";
import { embeddedOptionsOf, openConnector } from "./open-connector.ts";
import type { Opening } from "./open-connectors.ts";

export interface BaseOpener {
  readonly open: (config: Config, before: { readonly base: Base; readonly config: Config } | null) => Promise<Base>;
  /** Closes one that was replaced, when no list it has begun can still be on its way out. */
  readonly retire: (base: Base) => void;
  readonly close: () => Promise<void>;
}

/** A list is read page by page while it is written; a reader that takes longer than this is cut off. */
const longestAnswerMs = 600_000;

/** Opens what answers where no connector is bound: the embedded system, or the connector given as code. */
export function baseOpener({
  outside,
  notebooks,
  ...context
}: Opening & { outside: ConnectorDefinition | undefined }): BaseOpener {
  const retired = new Map<Base, () => void>();
  const notebook = notebooks.of((outside ?? embedded).type);

  const openGiven = async (definition: ConnectorDefinition): Promise<Base> => {
    const connector = await definition.open({}, { ...context, notebook });
    // It answers everything itself: it must agree to what it is told.
    const tells = operationIds.filter((id) => operationRow(id).kind === "tell");
    const modes = Object.fromEntries(tells.map((id) => [id, "direct"]));
    const target = { name: definition.type, connector, modes };
    return { asks: connector, dropCaches: () => {}, isBooked: false, target };
  };

  return {
    open: async (config, before) => {
      if (outside !== undefined) return before?.base ?? openGiven(outside);
      const isSame = (other: Config) =>
        JSON.stringify(embeddedOptionsOf(other)) === JSON.stringify(embeddedOptionsOf(config));
      if (before !== null && isSame(before.config)) return before.base;
      const { connector, dropCaches } = await openConnector({ config, ...context, notebook });
      return { asks: connector, dropCaches, isBooked: true };
    },
    retire: (base) => {
      const cancel = context.timers.after(longestAnswerMs, () => {
        retired.delete(base);
        void base.asks.close();
      });
      retired.set(base, cancel);
    },
    close: async () => {
      for (const [base, cancel] of retired) {
        cancel();
        await base.asks.close();
      }
    },
  };
}
