import { resultForFault } from "../../../contract/operation.ts";
import { operationRow } from "../../../contract/operations.ts";
import type { Trial } from "./knowledge.ts";
import { type Exchange, inWords, isObject, resultOf, statusOf } from "./recorded-exchange.ts";

/** Skips the check if the answer proves nothing: not offered, or the external system is down. */
export function skipUnlessServed({ skip, declinedWith }: Trial, exchange: Exchange): void {
  const result = resultOf(exchange);
  const isPlain = !isObject(exchange.answer?.["validationStatus"]);
  if (result !== null && isPlain && declinedWith(exchange.operation) === result)
    skip(`declined: every answer is ${result}`);
  if (result === "AdapterNotDefined") skip("not offered");
  if (result === "AdapterApiClientFailed") skip("the adapter did not reach its external system");
}

/** Complains unless the result is one of these. */
export function expectResult(trial: Trial, exchange: Exchange, names: readonly string[], because = ""): boolean {
  skipUnlessServed(trial, exchange);
  const result = resultOf(exchange);
  if (result !== null && names.includes(result)) return true;
  const { results } = operationRow(exchange.operation);
  const wanted = names.map((name) => `${name} (${results.indexOf(name)})`).join(" or ");
  trial.complain(exchange, `${wanted}${because === "" ? "" : ` ${because}`}, not ${inWords(exchange)}`);
  return false;
}

/** Complains unless the input was refused as invalid, in one of the two ways of the contract. */
export function expectRefusal(trial: Trial, exchange: Exchange, what: string): void {
  skipUnlessServed(trial, exchange);
  if (statusOf(exchange) === 400) return;
  const row = operationRow(exchange.operation);
  const wanted = resultForFault(row, "invalid");
  // If the contract does not list the results of an endpoint, another check judges the number.
  const isAsWanted = row.assumption === undefined ? resultOf(exchange) === wanted : statusOf(exchange) === 200;
  if (!isAsWanted) {
    trial.complain(exchange, `${what} refused with ${wanted} or HTTP 400, not ${inWords(exchange)}`);
  } else if (!isObject(exchange.answer?.["validationStatus"])) {
    trial.complain(exchange, `${what} refused with validationStatus filled`);
  }
}

/** Complains if a valid request was refused as invalid. */
export function expectRead(trial: Trial, exchange: Exchange, what: string): boolean {
  skipUnlessServed(trial, exchange);
  const isCalledInvalid =
    statusOf(exchange) !== 200 ||
    resultOf(exchange) === "InvalidInput" ||
    isObject(exchange.answer?.["validationStatus"]);
  if (isCalledInvalid) trial.complain(exchange, `${what} accepted, not ${inWords(exchange)}`);
  return !isCalledInvalid;
}

/** Complains unless the answer has the same status and result as another one. */
export function expectSame(trial: Trial, exchange: Exchange, other: Exchange, what: string): void {
  const isSame = statusOf(exchange) === statusOf(other) && resultOf(exchange) === resultOf(other);
  if (!isSame) trial.complain(exchange, `${what} answered as without it (${inWords(other)}), not ${inWords(exchange)}`);
}
