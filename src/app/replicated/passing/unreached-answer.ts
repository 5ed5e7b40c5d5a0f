import type { IncomingMessage } from "node:http";
import type { Operation } from "../../../contract/operation.ts";
import { unreachable } from "../../../engine/queries/call.ts";
import { newReference } from "../../../kit/ids.ts";
import { systemClock } from "../../../kit/time/clock.ts";
import { asOf } from "../../../messages/as-of.ts";
import { chooseLanguage } from "../../../messages/choose-language.ts";
import { defaultLanguage, type Language } from "../../../messages/languages.ts";
import { say } from "../../../messages/message.ts";
import { phrase, sayPhrase } from "../../../messages/phrases/phrase.ts";
import { adminProblem } from "../../../server/admin/admin-problem.ts";
import { type Answer, answerOutcome } from "../../../server/contract/answer.ts";

export interface UnreachedOwner {
  /** Since when PostgreSQL cannot be used; null if it can. */
  readonly since: number | null;
  readonly timeZone: string;
  /** What the log names it by; absent: the log says nothing of this request. */
  readonly reference?: string;
}

/**
 * Answers a request that no owner could take: the failure as the contract defines it for this row, problem details for
 * everything else. It says whether another process is taking over or PostgreSQL itself is away: people would otherwise
 * wait for the one while the other needs their help.
 */
export function unreachedAnswer(
  row: Operation | null,
  { headers }: IncomingMessage,
  { since, timeZone, reference = newReference() }: UnreachedOwner,
): Answer {
  const shown = (at: number, language: Language) => asOf(at, { now: systemClock.now(), timeZone, language });
  if (row === null || row.results.length === 0) {
    // The reason names a machine. It is not given here, because nobody could check the caller's key.
    const sentence =
      since === null
        ? phrase("refusal.noOwner")
        : phrase("refusal.storeAway", { since: shown(since, defaultLanguage) });
    return adminProblem({ status: 503, detail: sayPhrase(sentence), traceId: reference });
  }
  const language = chooseLanguage(headers["accept-language"]);
  const text =
    since === null ? say("general.taking-over") : say("general.store-away", { time: shown(since, language) });
  return answerOutcome(row, unreachable(row, text), language);
}
