import { basename } from "node:path";
import { type OfferedId, operationIds, operationRow } from "../../contract/operations.ts";
import { nearestName } from "../../kit/nearest-name.ts";
import type { CallContext, OpenConnector } from "../../sdk/connector.ts";
import { Fault } from "../../sdk/fault.ts";
import type { AnyOutcome } from "../../sdk/outcome.ts";

type Run = (input: unknown, context: CallContext) => unknown;
const offered = operationIds.filter((id): id is OfferedId => operationRow(id).budget !== "none");

/** The compiler says the same, but a file may have been written without asking it. */
export function checkedOperations(connector: OpenConnector, path: string): OpenConnector["operations"] {
  const file = basename(path);
  // That each is a function is checked below.
  const given = Object.entries(connector.operations ?? {}) as [string, Run][];
  const checked = given.map(([id, run]) => {
    if (!isOffered(id)) {
      const near = nearestName(id, offered);
      throw new Fault(
        "broken",
        `${file} offers ${JSON.stringify(id)}, which is no operation of the contract. ${
          near === undefined ? "" : `Did you mean ${near}? `
        }Operations: ${offered.join(", ")}.`,
      );
    }
    if (typeof run !== "function") throw new Fault("broken", `${file}: ${id} is no function`);
    return [
      id,
      (input: unknown, context: CallContext) => {
        const answer = run(input, context);
        return answer instanceof Promise
          ? answer.then((outcome: unknown) => checkedOutcome(id, outcome, file))
          : checkedOutcome(id, answer, file);
      },
    ];
  });
  // Each takes the input and gives the outcome of its own row; a list of all of them cannot say that.
  return Object.fromEntries(checked) as OpenConnector["operations"];
}

// The list has fewer names than a text may be; includes() takes only those.
const isOffered = (id: string): id is OfferedId => (offered as readonly string[]).includes(id);

function checkedOutcome(id: OfferedId, outcome: unknown, file: string): AnyOutcome {
  // Looked at member by member below.
  const { ok, result } = (outcome ?? {}) as { ok?: unknown; result?: unknown };
  // Its data is checked against the contract where it is answered.
  if (ok === true) return outcome as AnyOutcome;
  if (ok !== false) throw new Fault("broken", `${file}: ${id} returned neither ok(…) nor refuse(…)`);
  const { results, success } = operationRow(id);
  const allowed = results.filter((name) => name !== success);
  // ok is false and the result is one of this operation's: a refusal.
  if (typeof result === "string" && allowed.includes(result)) return outcome as AnyOutcome;
  throw new Fault(
    "broken",
    `${file}: ${id} refused with ${JSON.stringify(result)}, which its row does not have. There are ${allowed.join(", ")}.`,
  );
}
