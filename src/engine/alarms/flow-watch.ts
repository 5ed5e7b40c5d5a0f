import { type OperationId, operationRow, type QueryId } from "../../contract/operations.ts";
import type { PushTopic } from "../../contract/pushes.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { TraceContext } from "../../kit/tracing/trace-context.ts";
import { type AnyOutcome, ReadyJson, ReadyJsonList } from "../../operation/outcome.ts";
import type { Intake } from "../../sdk/intake.ts";
import type { OnAttempt } from "../delivery/outbox.ts";
import type { Engine } from "../engine.ts";
import type { Figures } from "../figures/open-figures.ts";
import type { Tally } from "../metrics/tally.ts";
import { type Capability, capabilityOf } from "../queries/routing.ts";
import type { AlarmFile } from "./open-alarm-file.ts";
import type { SourceFailures } from "./source-failures.ts";

export interface FlowWatch {
  /** The span is the one of the request, if it is traced. */
  readonly onAnswer: (id: OperationId, result: string, ms: number, span?: TraceContext) => void;
  readonly onAttempt: OnAttempt;
  readonly onTaken: (topic: PushTopic, sender: string) => void;
  /** Wraps the given intakes, so that what they take in is recorded. */
  readonly intakeOf: (inner: (connector: string) => Intake) => (connector: string) => Intake;
  /** Wraps the given engine, so that orders an external system returns to a query are recorded as received orders. */
  readonly engine: (inner: Engine, servedBy: ServedBy) => Engine;
}

/** The flow under which deliveries are recorded. */
export const deliveryFlow = "deliveries";

/** The external connectors by the capability they serve; the embedded store serves the rest. */
export type ServedBy = ReadonlyMap<Capability, string>;

/** Records what passes through the handlers, for metrics and for alarms about silence. */
export function flowWatch(needs: {
  readonly tally: Tally;
  readonly flows: Pick<FlowMarks, "note">;
  readonly failures?: Pick<SourceFailures, "note">;
  readonly figures?: Pick<Figures, "answered" | "attempted" | "pushed">;
}): FlowWatch {
  const { tally, flows, failures, figures } = needs;
  const onTaken = (topic: PushTopic, sender: string) => {
    tally.pushed(topic);
    figures?.pushed();
    flows.note(topic, sender);
  };

  const noteOrders = (id: QueryId, outcome: AnyOutcome, servedBy: ServedBy) => {
    const capability = capabilityOf(id);
    if (capability !== "workOrders" && capability !== "codeLookup") return;
    const connector = servedBy.get(capability);
    // Orders in the embedded store were recorded when they arrived there.
    if (connector !== undefined && isFresh(outcome)) flows.note("workOrders" satisfies PushTopic, connector);
  };

  return {
    onTaken,
    onAnswer: (id, result, ms, span) => {
      tally.answered(id, result, ms, span);
      // Monitoring requests the status, so a status request does not show that the platform is alive.
      if (id === "getStatus") return;
      flows.note("requests", id);
      figures?.answered(result === operationRow(id).success, ms);
    },
    onAttempt: (target, outcome, ms) => {
      tally.attempted(target, outcome);
      if (ms !== undefined) tally.called(target, ms);
      const isDelivered = outcome === "delivered" || outcome === "answered";
      figures?.attempted(isDelivered);
      if (isDelivered) flows.note(deliveryFlow, target);
    },
    intakeOf: (inner) => (connector) => {
      const take = inner(connector);
      const watched = async (found: Parameters<Intake>[0]) => {
        const taken = await take(found);
        const count = "ids" in taken ? (taken.count ?? taken.ids.length) : 0;
        if (count > 0) onTaken(found.topic, connector);
        return taken;
      };
      const sourceRead: Intake["sourceRead"] = (reading) => {
        take.sourceRead?.(reading);
        flows.note("looks", connector);
      };
      const sourceResult: Intake["sourceResult"] = (part, result) => failures?.note(connector, part, result);
      return Object.assign(watched, { sourceRead, sourceResult });
    },
    engine: (inner, servedBy) => {
      // No external connector serves queries, so there is nothing to record.
      if (servedBy.size === 0) return inner;
      return {
        ...inner,
        query: (id, input, language) => {
          const outcome = inner.query(id, input, language);
          if (!(outcome instanceof Promise)) {
            noteOrders(id, outcome, servedBy);
            return outcome;
          }
          return outcome.then((settled) => {
            noteOrders(id, settled, servedBy);
            return settled;
          });
        },
      };
    },
  };
}

/** Whether the answer holds an order that does not come from fallback data. */
function isFresh(outcome: AnyOutcome): boolean {
  if (!outcome.ok || isRemembered(outcome)) return false;
  const { data } = outcome;
  // No order is as short as these.
  if (data instanceof ReadyJson) return data.length > "null".length || (!data.is("[]") && !data.is("null"));
  const list = data instanceof ReadyJsonList ? data.pieces : data;
  return Array.isArray(list) ? list.length > 0 : list !== null && list !== undefined;
}

const isRemembered = ({ message }: AnyOutcome): boolean =>
  typeof message === "object" && message.key.startsWith("fallback.");

/** When something of each kind was last seen: an order of a sender, a request of the platform, a delivery. */
export interface FlowMarks {
  /** Called for every request, so it must be cheap: two look-ups, and no string is built. */
  readonly note: (flow: string, of: string) => void;
  /** When the flow was last seen from this source, or from any source; null if never. */
  readonly last: (flow: string, of?: string) => number | null;
  /** Since when this flow is watched. For a source that was never seen, silence counts from then on. */
  readonly watchedSince: (name: string) => number;
  /** Stores what has changed since the last call. */
  readonly flush: () => void;
}

/** Limit of sources per kind, more than any configuration names. Further sources are counted together as one. */
const mostPerFlow = 500;
const others = "(others)";
const watched = "(watched since)";

export function flowMarks({
  clock,
  file,
}: {
  readonly clock: Clock;
  readonly file: Pick<AlarmFile, "marks" | "storeMarks">;
}): FlowMarks {
  const flows = new Map<string, Map<string, number>>();
  const changed = new Map<string, Set<string>>();
  for (const [name, at] of file.marks()) {
    // Only the code below writes these rows.
    const [flow, of] = JSON.parse(name) as [string, string];
    ofFlow(flow).set(of, at);
  }

  function ofFlow(flow: string): Map<string, number> {
    let marks = flows.get(flow);
    if (marks === undefined) {
      marks = new Map();
      flows.set(flow, marks);
      changed.set(flow, new Set());
    }
    return marks;
  }

  const note = (flow: string, of: string) => {
    const marks = ofFlow(flow);
    const name = marks.size < mostPerFlow || marks.has(of) ? of : others;
    marks.set(name, clock.now());
    changed.get(flow)?.add(name);
  };

  return {
    note,
    last: (flow, of) => {
      const marks = flows.get(flow);
      if (marks === undefined || marks.size === 0) return null;
      return of === undefined ? Math.max(...marks.values()) : (marks.get(of) ?? null);
    },
    watchedSince: (name) => {
      const since = flows.get(watched)?.get(name);
      if (since !== undefined) return since;
      note(watched, name);
      return clock.now();
    },
    flush: () => {
      const marks = [...changed].flatMap(([flow, names]) =>
        [...names].map((of) => [JSON.stringify([flow, of]), flows.get(flow)?.get(of) ?? 0] as const),
      );
      if (marks.length === 0) return;
      file.storeMarks(marks);
      for (const names of changed.values()) names.clear();
    },
  };
}
