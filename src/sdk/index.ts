export { Type } from "typebox";
export type { AskId, DataOf, InputOf, OfferedId, RefusalOf, TellId } from "../contract/operations.ts";
export {
  compileMapping,
  type Mapped,
  type Mapping,
  MappingError,
  type MappingOptions,
  mappingSchema,
} from "../mapping/compile-mapping.ts";
export type { Message, OperatorText } from "../messages/message.ts";
export { Fault } from "../operation/fault.ts";
export {
  type Fact,
  ListInParts,
  type Ok,
  type Outcome,
  ok,
  ReadyJson,
  ReadyJsonList,
  type Refusal,
  refuse,
} from "../operation/outcome.ts";
export type { Received, RecordSent, Sent } from "../operation/record-sent.ts";
export type { Offer, Preview } from "./connector.ts";
export {
  type Asks,
  type CallContext,
  type ConnectorDefinition,
  defineConnector,
  type Notebook,
  type OpenConnector,
  type OpenContext,
  type OptionProblem,
  type Tells,
} from "./connector.ts";
export type { Found, Intake, PushSource, Rereads, RunningSource, Taken, WholeLook } from "./intake.ts";
