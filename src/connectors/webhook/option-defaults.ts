import type { WebhookOptions } from "./options.ts";

export const optionDefaults = {
  deployment: "crossdock",
  connectMs: 3_000,
  headersMs: 10_000,
  totalMs: 15_000,
  mediaType: "application/json",
  allowEmpty: true,
  // Of the statuses below 500. A wrong password hits every event alike: none of them is to blame for it.
  targetTrouble: [401, 407, 408, 429],
  passing: [409, 423, 425],
  codePath: "code",
  returnsUpdates: false,
} as const;

type Filled<Group> = { readonly [Key in keyof Group]-?: Exclude<Group[Key], undefined> };

/** The options with everything that has a default filled in. */
export interface WebhookSettings
  extends Filled<
    Pick<WebhookOptions, "url" | "deployment" | "secrets" | "headers" | "targetTrouble" | "passing" | "refusals">
  > {
  readonly timeouts: Filled<NonNullable<WebhookOptions["timeouts"]>>;
  readonly success: Omit<NonNullable<WebhookOptions["success"]>, "mediaType" | "allowEmpty"> & {
    readonly mediaType: string;
    readonly allowEmpty: boolean;
  };
  readonly alreadyProcessed: readonly number[];
  readonly allowHosts: readonly string[] | undefined;
  readonly allowPrivate: boolean | undefined;
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
    targetTrouble: options.targetTrouble ?? [...optionDefaults.targetTrouble],
    passing: options.passing ?? [...optionDefaults.passing],
    refusals: options.refusals ?? [],
    allowHosts: options.allowHosts,
    allowPrivate: options.allowPrivate,
    returnsUpdates: options.returnsUpdates ?? optionDefaults.returnsUpdates,
    ca: options.ca,
  };
}
