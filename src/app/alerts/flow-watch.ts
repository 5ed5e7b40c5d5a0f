import type { AskId, OperationId } from "../../contract/operations.ts";
import type { PushTopic } from "../../contract/pushes.ts";
import type { FlowMarks } from "../../engine/alarms/flow-marks.ts";
import { deliveryFlow } from "../../engine/alarms/target-conditions.ts";
import { capabilityOf } from "../../engine/capabilities.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Tally } from "../../engine/metrics/tally.ts";
import type { OnAttempt } from "../../engine/outbox/deliver.ts";
import type { Intake } from "../../sdk/intake.ts";
import type { AnyOutcome } from "../../sdk/outcome.ts";
import { ReadyJson, ReadyJsonList } from "../../sdk/ready-json.ts";
import { embeddedName } from "../check-references.ts";
import type { Config } from "../config-schema.ts";

export interface FlowWatch {
  readonly onAnswer: (id: OperationId, result: string) => void;
  readonly onAttempt: OnAttempt;
  readonly onTaken: (topic: PushTopic, sender: string) => void;
  /** The same intakes, with what they take in marked. */
  readonly intakeOf: (inner: (connector: string) => Intake) => (connector: string) => Intake;
  /** The same engine, with orders that an external system gives when asked marked as orders that came. */
  readonly engine: (inner: Engine) => Engine;
}

/** Stands beside the road and notes what passes, for metrics and for those who miss something. */
export function flowWatch(needs: {
  readonly tally: Tally;
  readonly flows: Pick<FlowMarks, "seen">;
  readonly current: () => Config;
}): FlowWatch {
  const { tally, flows, current } = needs;
  const onTaken = (topic: PushTopic, sender: string) => {
    tally.taken(topic);
    flows.seen(topic, sender);
  };

  const noteOrders = (id: AskId, outcome: AnyOutcome) => {
    const capability = capabilityOf(id);
    if (capability !== "workOrders" && capability !== "codeLookup") return;
    const connector = current().serve[capability] ?? embeddedName;
    // Our own store gives what came by other ways; that was marked when it came.
    if (connector !== embeddedName && isFresh(outcome)) flows.seen("workOrders" satisfies PushTopic, connector);
  };

  return {
    onTaken,
    onAnswer: (id, result) => {
      tally.answered(id, result);
      // Monitors ask for the status; that says nothing about the platform.
      if (id !== "getStatus") flows.seen("requests", id);
    },
    onAttempt: (target, outcome) => {
      tally.attempted(target, outcome);
      if (outcome === "delivered" || outcome === "answered") flows.seen(deliveryFlow, target);
    },
    intakeOf: (inner) => (connector) => {
      const take = inner(connector);
      const watched = async (found: Parameters<Intake>[0]) => {
        const taken = await take(found);
        if ("ids" in taken && taken.ids.length > 0) onTaken(found.topic, connector);
        return taken;
      };
      const looked: Intake["looked"] = (look) => {
        take.looked?.(look);
        flows.seen("looks", connector);
      };
      return Object.assign(watched, { looked });
    },
    engine: (inner) => ({
      ...inner,
      ask: (id, input, language) => {
        const outcome = inner.ask(id, input, language);
        if (!(outcome instanceof Promise)) {
          noteOrders(id, outcome);
          return outcome;
        }
        return outcome.then((settled) => {
          noteOrders(id, settled);
          return settled;
        });
      },
    }),
  };
}

/** Whether there is an order in it that does not come from last known data. */
function isFresh(outcome: AnyOutcome): boolean {
  if (!outcome.ok || isRemembered(outcome)) return false;
  const { data } = outcome;
  if (data instanceof ReadyJson) return data.text !== "[]" && data.text !== "null";
  const list = data instanceof ReadyJsonList ? data.pieces : data;
  return Array.isArray(list) ? list.length > 0 : list !== null && list !== undefined;
}

const isRemembered = ({ message }: AnyOutcome): boolean =>
  typeof message === "object" && message.key.startsWith("island.");
