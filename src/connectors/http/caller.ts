import type { CircuitBreaker } from "../../kit/circuit-breaker.ts";
import { say } from "../../messages/message.ts";
import { Fault } from "../../sdk/fault.ts";
import { faultOfError } from "../../sdk/http/fault-of-error.ts";
import type { HttpClient, HttpRequest } from "../../sdk/http/http-client.ts";
import type { Answer } from "../../sdk/http/read-body.ts";
import type { Redact } from "../../sdk/http/redact.ts";

/** Sends a request; every end without an answer is a Fault in which no secret stands. */
export type Caller = (request: HttpRequest) => Promise<Answer>;

export const plainCaller =
  (client: HttpClient, redact: Redact): Caller =>
  async (request) => {
    try {
      return await client.send(request);
    } catch (error) {
      const fault = faultOfError(error, redact);
      if (fault.kind !== "rejected" || fault.operatorText !== undefined) throw fault;
      throw new Fault("rejected", fault.message, { operatorText: say("http.unreadable"), cause: error });
    }
  };

/**
 * For questions, where somebody waits: a system that is down is not asked by everybody again, so that last known data
 * can be given at once. Events have their own breaker where they queue.
 */
export const guardedCaller =
  (call: Caller, breaker: CircuitBreaker): Caller =>
  async (request) => {
    if (breaker.state() !== "closed" && !breaker.mayStart(0)) {
      throw new Fault("unreachable", "the external system is in trouble and is not asked for a few seconds");
    }
    breaker.started();
    try {
      const answer = await call(request);
      breaker.heard(answer.status >= 500 ? "trouble" : "answer");
      return answer;
    } catch (error) {
      breaker.heard(error instanceof Fault && error.kind === "rejected" ? "answer" : "trouble");
      throw error;
    }
  };
