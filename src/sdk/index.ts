export type { AskId, DataOf, InputOf, OfferedId, RefusalOf, TellId } from "../contract/operations.ts";
export type { Message, OperatorText } from "../messages/message.ts";
export {
  type Asks,
  type CallContext,
  type ConnectorDefinition,
  defineConnector,
  type OpenConnector,
  type OpenContext,
  type Tells,
} from "./connector.ts";
export { Fault } from "./fault.ts";
export { type Fact, type Ok, type Outcome, ok, type Refusal, refuse } from "./outcome.ts";
export { ReadyJson, ReadyJsonList } from "./ready-json.ts";
