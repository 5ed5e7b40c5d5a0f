import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { callerHeaders, callerOf, takeCaller } from "./passed-on.ts";

const caller = { address: "10.0.0.7", names: ["CN=floor"] };
const request = { method: "POST", url: "/WorkOrders/start" };

function arrived(headers: Record<string, string>, { method, url } = request): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  return Object.assign(message, { method, url, headers });
}

test("whoever knows the secret can say for whom a request is passed on", () => {
  const message = arrived(callerHeaders("secret", caller, request));
  takeCaller(message, "secret");
  expect(callerOf(message)).toEqual(caller);
});

test.each([
  ["with another secret", callerHeaders("guessed", caller, request), request],
  ["for another address", callerHeaders("secret", caller, request), { ...request, url: "/admin" }],
  [
    "without a proof",
    { "crossdock-caller": callerHeaders("secret", caller, request)["crossdock-caller"] ?? "" },
    request,
  ],
  ["without anything", {}, request],
])("a caller named %s is not believed", (_how, headers, at) => {
  const message = arrived(headers, at);
  takeCaller(message, "secret");
  expect(callerOf(message)).toBeUndefined();
});
