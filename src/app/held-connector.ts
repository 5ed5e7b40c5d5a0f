import type { OfferedId } from "../contract/operations.ts";
import type { Timers } from "../kit/timers.ts";
import type { CallContext, OpenConnector, Operate } from "../sdk/connector.ts";
import { Fault } from "../sdk/fault.ts";
import type { AnyOutcome } from "../sdk/outcome.ts";

/** An open connector that knows how many calls it has in flight, so that it can be closed behind the last of them. */
export interface HeldConnector {
  readonly connector: OpenConnector;
  readonly call: (id: OfferedId, input: unknown, context: CallContext) => AnyOutcome | Promise<AnyOutcome>;
  readonly notice: (topic: string, payload: unknown, context: CallContext) => Promise<AnyOutcome>;
  /** Closes it when nothing is in flight any more, or when the time is over; asked again, with less patience. */
  readonly close: (withinMs: number) => Promise<void>;
}

export function holdConnector(connector: OpenConnector, timers: Timers): HeldConnector {
  // Inputs are checked against their own row before they get here; the union of all rows cannot express that.
  const operations = connector.operations as Partial<Record<OfferedId, Operate<OfferedId>>>;
  const { promise: idle, resolve: release } = Promise.withResolvers<void>();
  let inFlight = 0;
  let closing: Promise<void> | null = null;
  let cancel = () => {};

  const counted = <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    inFlight++;
    return answer.finally(() => {
      if (--inFlight === 0 && closing !== null) release();
    });
  };

  return {
    connector,
    call: (id, input, context) => {
      const operate = operations[id];
      if (operate === undefined) throw new Fault("rejected", `the connector does not offer ${id}`);
      const answer = operate(input as never, context);
      return answer instanceof Promise ? counted(answer) : answer;
    },
    notice: (topic, payload, context) => {
      if (connector.notices === undefined) throw new Fault("rejected", `the connector takes no notice of ${topic}`);
      return counted(connector.notices(topic, payload, context));
    },
    close: (withinMs) => {
      cancel();
      if (inFlight === 0 || withinMs === 0) release();
      else cancel = timers.after(withinMs, release);
      closing ??= idle.then(() => {
        cancel();
        return connector.close();
      });
      return closing;
    },
  };
}
