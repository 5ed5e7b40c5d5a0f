import { type AnswerRules, ruleDefaults } from "../../sdk/http/answer-rules.ts";
import { defaultTimeouts } from "../../sdk/http/timeouts.ts";
import type { WebhookOptions } from "./options.ts";

export const optionDefaults = {
  ...ruleDefaults,
  ...defaultTimeouts,
  deployment: "crossdock",
  returnsUpdates: false,
} as const;

type Filled<Group> = { readonly [Key in keyof Group]-?: Exclude<Group[Key], undefined> };

/** The options with everything that has a default filled in. */
export interface WebhookSettings
  extends AnswerRules,
    Filled<Pick<WebhookOptions, "url" | "deployment" | "secrets" | "headers">> {
  readonly timeouts: Filled<NonNullable<WebhookOptions["timeouts"]>>;
  readonly allowHosts: readonly string[] | undefined;
  readonly allowPrivate: boolean | undefined;
  readonly proxy: string | undefined;
  readonly returnsUpdates: boolean;
  readonly ca: string | undefined;
}

export function withDefaults(options: WebhookOptions): WebhookSettings {
  const { connectMs, headersMs, totalMs, mediaType, allowEmpty } = optionDefaults;
  return {
    url: options.url,
    deployment: options.deployment ?? optionDefaults.deployment,
    secrets: options.secrets ?? [],
    headers: options.headers ?? {},
    timeouts: { connectMs, headersMs, totalMs, ...options.timeouts },
    success: { mediaType, allowEmpty, ...options.success },
    alreadyProcessed: options.alreadyProcessed ?? [],
    alreadyProcessedWhen: options.alreadyProcessedWhen,
    tryLaterWhen: options.tryLaterWhen,
    targetTrouble: options.targetTrouble ?? [...optionDefaults.targetTrouble],
    passing: options.passing ?? [...optionDefaults.passing],
    refusals: options.refusals ?? [],
    messagePaths: optionDefaults.messagePaths,
    allowHosts: options.allowHosts,
    allowPrivate: options.allowPrivate,
    proxy: options.proxy,
    returnsUpdates: options.returnsUpdates ?? optionDefaults.returnsUpdates,
    ca: options.ca,
  };
}
