import type { IncomingMessage, ServerResponse } from "node:http";

const responses = new WeakMap<IncomingMessage, ServerResponse>();

/** To be told of every request that may have a large body, before it is read. */
export const rememberResponse = (request: IncomingMessage, response: ServerResponse): void => {
  responses.set(request, response);
};

/** Calls when the answer has gone out, or nobody is there to take it. Not for small bodies, which nobody remembers. */
export function whenAnswered(request: IncomingMessage, then: () => void): void {
  const response = responses.get(request);
  if (response === undefined) request.once("close", then);
  else response.once("close", then);
}
