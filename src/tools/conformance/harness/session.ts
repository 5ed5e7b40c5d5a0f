import { requestFor } from "../../../contract/derive/client.ts";
import { type OperationId, operationRow } from "../../../contract/operations.ts";
import { pushRow } from "../../../contract/pushes.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import type { CallHow, Knowledge, Trial } from "./knowledge.ts";
import type { Complaint, Ledger } from "./ledger.ts";
import { type Exchange, objectIn } from "./recorded-exchange.ts";
import { isReceived, type Wire, type WireRequest } from "./wire.ts";

export interface SessionNeeds {
  readonly wire: Wire;
  readonly ledger: Ledger;
  readonly timers: Timers;
  readonly runId: string;
  readonly apiKey?: string;
  readonly known: Knowledge;
  readonly onComplaint: (complaint: Complaint) => void;
}

const triesUntil = 50;
const pauseMs = 100;

/** One check's view of the adapter. */
export function openTrial(needs: SessionNeeds): Trial {
  const { wire, ledger, timers, runId, apiKey, known, onComplaint } = needs;

  const call = async (operation: OperationId, input: unknown = {}, how: CallHow = {}): Promise<Exchange> => {
    const asked = requestFor(operationRow(operation), input);
    const headers = {
      "accept-language": "en",
      ...(asked.body === undefined ? {} : { "content-type": "application/json; charset=utf-8" }),
      ...how.headers,
    };
    const request: WireRequest = how.change?.({ ...asked, headers }) ?? { ...asked, headers };
    const reply = await wire.send(request);
    const exchange: Exchange = {
      operation,
      expectation: how.expectation ?? "valid",
      sent: {
        method: request.method,
        path: request.path,
        headers: request.headers ?? {},
        body: request.body === undefined ? null : String(request.body),
      },
      reply,
      answer: objectIn(reply),
    };
    ledger.record(exchange, how.isLarge ?? false);
    return exchange;
  };

  return {
    runId,
    known,
    call,
    push: async (topic, elements) => {
      if (apiKey === undefined) return false;
      const reply = await wire.send({
        method: "POST",
        path: pushRow(topic).path,
        headers: { "content-type": "application/json; charset=utf-8", authorization: `Bearer ${apiKey}` },
        body: JSON.stringify(elements),
      });
      return isReceived(reply) && reply.status === 202;
    },
    declinedWith: ledger.declinedWith,
    until: async (isSo) => {
      for (let tried = 0; tried < triesUntil; tried++) {
        if (await isSo()) return true;
        await new Promise<void>((passed) => timers.after(pauseMs, passed));
      }
      return false;
    },
    complain: (exchange, expected) => onComplaint({ exchange, expected }),
    skip: (why) => {
      throw new Skipped(why);
    },
  };
}

/** Thrown by a check when there is nothing to judge: the capability is not offered, or no order is known. */
export class Skipped extends Error {
  constructor(why: string) {
    super(why);
    this.name = "Skipped";
  }
}

/** Thrown if nothing answers at this address: there is no adapter to check. */
export class NoAdapter extends Error {
  constructor(url: string, failure: string) {
    super(`no adapter answers at ${new URL(url).host}: ${failure}`);
    this.name = "NoAdapter";
  }
}
