import { type AskId, operationRow, type TellId } from "../contract/operations.ts";
import type { Engine } from "../engine/engine.ts";
import { settleFault } from "../engine/settle-fault.ts";
import type { Given } from "../engine/tell.ts";
import type { Log } from "../kit/log.ts";
import { chooseLanguage } from "../messages/choose-language.ts";
import { answerWithSentIds } from "../sdk/platform-ids.ts";
import { type Answer, answerOutcome, answerProblems, type ValidationMode } from "./answer.ts";
import type { InputReading } from "./read-input.ts";

export interface ContractRoad {
  readonly ask: (id: AskId, reading: InputReading, acceptLanguage: string | undefined) => Answer | Promise<Answer>;
  readonly tell: (id: TellId, reading: InputReading, headers: TellHeaders) => Promise<ToldAnswer>;
  /** An answer for what nobody foresaw: the contract's routes never fail with a 5xx. */
  readonly broken: (id: AskId | TellId, error: unknown, acceptLanguage: string | undefined) => Answer;
}

export interface TellHeaders {
  readonly acceptLanguage: string | undefined;
  /** Where a gateway sends one, it tells a retry from a repeat better than any comparison. */
  readonly idempotencyKey: string | undefined;
}

export interface ToldAnswer {
  readonly answer: Answer;
  /** To be marked when the answer has been written completely. */
  readonly given: Given | null;
}

/** From read input to written envelope, for the server and for the thread that takes large bodies alike. */
export function contractRoad(needs: {
  engine: Engine;
  log: Log;
  validationMode: ValidationMode;
  newReference: () => string;
}): ContractRoad {
  const { engine, validationMode: mode, newReference } = needs;

  return {
    ask: (id, reading, acceptLanguage) => {
      const row = operationRow(id);
      const language = chooseLanguage(acceptLanguage);
      if ("problems" in reading) return answerProblems(row, reading, { language, mode, traceId: newReference });
      const outcome = engine.ask(id, reading.input, language);
      if (!(outcome instanceof Promise)) return answerOutcome(row, outcome, language);
      return outcome.then((settled) => answerOutcome(row, settled, language));
    },
    tell: async (id, reading, { acceptLanguage, idempotencyKey }) => {
      const row = operationRow(id);
      const language = chooseLanguage(acceptLanguage);
      if ("problems" in reading) {
        return { answer: answerProblems(row, reading, { language, mode, traceId: newReference }), given: null };
      }
      const { input, text, payload } = reading;
      const told = { input, body: text, payload, language, acceptLanguage: acceptLanguage ?? null };
      const { outcome, given } = await engine.tell(id, {
        ...told,
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      });
      const answer = answerOutcome(row, outcome, language);
      if (!reading.hasLongIds || typeof answer.body !== "string") return { answer, given };
      return { answer: { ...answer, body: answerWithSentIds(answer.body, text) }, given };
    },
    broken: (id, error, acceptLanguage) => {
      const row = operationRow(id);
      return answerOutcome(row, settleFault(row, error, needs), chooseLanguage(acceptLanguage));
    },
  };
}
