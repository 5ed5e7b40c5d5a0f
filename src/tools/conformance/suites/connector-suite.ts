import { shapeOf } from "../../../contract/derive/component-registry.ts";
import {
  type EventId,
  type OfferedId,
  operationIds,
  operationRow,
  type QueryId,
} from "../../../contract/operations.ts";
import { validator } from "../../../contract/validate/validator.ts";
import { silentLog } from "../../../kit/log.ts";
import { systemClock } from "../../../kit/time/clock.ts";
import { systemTimers } from "../../../kit/time/timers.ts";
import { Fault } from "../../../operation/fault.ts";
import { type AnyOutcome, isReadyText } from "../../../operation/outcome.ts";
import type { CallContext, ConnectorDefinition, OpenConnector, OpenContext } from "../../../sdk/connector.ts";
import { sampleInput } from "../harness/sample-input.ts";
import type { TestRunner } from "./conformance-suite.ts";

export interface ConnectorSuiteOptions {
  readonly test: TestRunner;
  /**
   * Opens the connector, with its options, against a test system. Called once per test; each connector is closed
   * afterwards.
   */
  readonly open: (context: OpenContext) => OpenConnector | Promise<OpenConnector>;
  /** The definition of the connector, if its options are to be checked as well. */
  readonly definition?: ConnectorDefinition;
  /** Whether events may be sent, because they stay in the test system. */
  readonly isFull?: boolean;
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 30_000;

/** What the engine relies on in every connector. */
export function connectorSuite(options: ConnectorSuiteOptions): void {
  const { test, open, definition, isFull = false, timeoutMs = defaultTimeoutMs } = options;
  for (const { name, needsDefinition, isWriting, run } of connectorChecks) {
    if ((needsDefinition === true && definition === undefined) || (isWriting === true && !isFull)) continue;
    test(
      name,
      async () => {
        const connector = await open(contextForTest());
        try {
          await run(connector, definition);
        } finally {
          await connector.close();
        }
      },
      timeoutMs,
    );
  }
}

function contextForTest(): OpenContext {
  const notes = new Map<string, string>();
  return {
    clock: systemClock,
    log: silentLog,
    timers: systemTimers,
    dates: { timeZone: "UTC", timeOfDay: "00:00" },
    databaseFile: "",
    connectorState: {
      read: (key) => notes.get(key),
      write: async (key, text) => {
        notes.set(key, text);
      },
    },
  };
}

export interface ConnectorCheck {
  readonly name: string;
  readonly needsDefinition?: true;
  readonly isWriting?: true;
  /** Throws if the check fails. */
  readonly run: (connector: OpenConnector, definition: ConnectorDefinition | undefined) => Promise<void>;
}

type Operate = (input: unknown, context: CallContext) => AnyOutcome | Promise<AnyOutcome>;
type Ended = { readonly outcome: AnyOutcome } | { readonly fault: unknown };

const runId = "SUITE";
const idsOf = (kind: "query" | "event") =>
  operationIds.filter((id) => operationRow(id).kind === kind && id !== "getStatus");
const operationsOf = ({ operations }: OpenConnector): Readonly<Record<string, Operate | undefined>> =>
  // Each operation is called with samples of its own row; the union type cannot express that.
  operations as Readonly<Record<string, Operate | undefined>>;

const contextFor = (id: OfferedId, signal: AbortSignal): CallContext => ({
  language: "en",
  signal,
  ...(operationRow(id).kind === "query"
    ? {}
    : {
        delivery: {
          entryId: `evt_${runId}_${id}`,
          seq: 1,
          topic: id,
          body: JSON.stringify(sampleInput(id, runId)),
          receivedAt: 0,
          attempt: 1,
          replay: 0,
          lanes: [{ lane: `wo:${runId}`, position: 1 }],
        },
      }),
});

async function end(operate: Operate, id: OfferedId, signal = AbortSignal.timeout(20_000)): Promise<Ended> {
  try {
    return { outcome: await operate(sampleInput(id, runId), contextFor(id, signal)) };
  } catch (fault) {
    return { fault };
  }
}

/** Calls every offered operation of a kind with its sample, and returns the results. */
async function tried(connector: OpenConnector, kind: "query" | "event") {
  const ends: { id: OfferedId; ended: Ended }[] = [];
  // Only ids of that kind; the list's type does not say so.
  for (const id of idsOf(kind) as (QueryId | EventId)[]) {
    const operate = operationsOf(connector)[id];
    if (operate !== undefined) ends.push({ id, ended: await end(operate, id) });
  }
  return ends;
}

/** What is wrong with the result of a call; null if nothing is. */
function flaw(id: OfferedId, ended: Ended): string | null {
  if ("fault" in ended) {
    return ended.fault instanceof Fault ? null : `${id} threw ${String(ended.fault)}, which is no Fault`;
  }
  const { outcome } = ended;
  const { results, success, data } = operationRow(id);
  if (!outcome.ok) {
    return results.includes(outcome.result) && outcome.result !== success
      ? null
      : `${id} refuses with ${outcome.result}, which it does not have`;
  }
  if (isReadyText(outcome.data)) return null;
  // The engine completes and checks orders, but it cannot invent a payload.
  if (data !== undefined && outcome.data === null) return `${id} succeeds without data`;
  if (data === undefined || shapeOf(data).type !== "object") return null;
  const check = validator(data);
  const problems = check.isValid(outcome.data)
    ? []
    : check.problems(outcome.data).filter(({ expected }) => expected !== "date");
  return problems.length === 0 ? null : `${id} gives data.${problems[0]?.field}: ${problems[0]?.expected} is expected`;
}

function assert(flaws: readonly (string | null)[]): void {
  const found = flaws.filter((one) => one !== null);
  if (found.length > 0) throw new Error(found.join("\n"));
}

const connectorChecks: readonly ConnectorCheck[] = [
  {
    name: "it offers operations of the contract and nothing else",
    run: async (connector) => {
      const names = Object.keys(connector.operations);
      assert(
        names.map((name) =>
          operationIds.some((id) => id === name && id !== "getStatus") ? null : `${name} is no operation`,
        ),
      );
      if (names.length === 0 && connector.source === undefined)
        throw new Error("it offers nothing and brings nothing in");
    },
  },
  {
    name: "every option has a description, and the type a name in lower case",
    needsDefinition: true,
    run: async (_, definition) => {
      const options = Object.entries(definition === undefined ? {} : (shapeOf(definition.options).properties ?? {}));
      assert(options.map(([name, { description = "" }]) => (description === "" ? `${name} has no description` : null)));
      if (!/^[a-z][a-z0-9-]*$/.test(definition?.type ?? ""))
        throw new Error(`${definition?.type} is no name for a type`);
    },
  },
  {
    name: "its check settles, and says what to do in a Fault where it fails",
    run: async ({ check }) => {
      await check().catch((error: unknown) => {
        if (!(error instanceof Fault) || error.message === "") throw error;
      });
    },
  },
  {
    name: "every query about something unknown ends in an outcome of its row or a Fault",
    run: async (connector) => assert((await tried(connector, "query")).map(({ id, ended }) => flaw(id, ended))),
  },
  {
    name: "an aborted query ends",
    run: async (connector) => {
      // Only ids of that kind; the list's type does not say so.
      for (const id of idsOf("query") as QueryId[]) {
        const operate = operationsOf(connector)[id];
        if (operate !== undefined) await end(operate, id, AbortSignal.abort());
      }
    },
  },
  {
    name: "concurrent queries do not disturb each other",
    run: async (connector) => {
      // Only ids of that kind; the list's type does not say so.
      const queries = (idsOf("query") as QueryId[]).flatMap((id) => {
        const operate = operationsOf(connector)[id];
        return operate === undefined ? [] : Array.from({ length: 5 }, async () => flaw(id, await end(operate, id)));
      });
      assert(await Promise.all(queries));
    },
  },
  {
    name: "every event ends in an outcome of its row or a Fault",
    isWriting: true,
    run: async (connector) => assert((await tried(connector, "event")).map(({ id, ended }) => flaw(id, ended))),
  },
  {
    name: "the same entry, delivered again, ends as before",
    isWriting: true,
    run: async (connector) => {
      const [first, second] = [await tried(connector, "event"), await tried(connector, "event")];
      const kindOf = (ended: Ended | undefined) => {
        if (ended === undefined || "fault" in ended) return "a fault";
        return ended.outcome.ok ? "a success" : ended.outcome.result;
      };
      assert(
        first.map(({ id, ended }, index) => {
          const [before, after] = [kindOf(ended), kindOf(second[index]?.ended)];
          return before === after ? null : `${id} was ${before}, and ${after} when it was delivered again`;
        }),
      );
    },
  },
];
