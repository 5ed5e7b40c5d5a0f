import type { Config } from "../../config/config-schema.ts";
import { alarmKinds } from "../../engine/alarms/alarm.ts";
import { roles, shortestKey } from "../../server/auth/admin-access.ts";
import type { AccessView, AlarmsView } from "../../server/workshop/access-routes.ts";

/** People and keys of the configuration, without the keys themselves. */
export const accessView = ({ console: { users, oidc }, senders, platform }: Config): AccessView => ({
  people: Object.entries(users).map(([name, { role, apiKey }]) => ({
    ...{ name, role, isKeyUsable: apiKey.length >= shortestKey },
  })),
  oidc:
    oidc === undefined
      ? null
      : {
          ...{ issuer: oidc.issuer, claim: oidc.roles.claim },
          roles: roles.map((role) => ({ role, values: oidc.roles[role] ?? [] })),
        },
  senders: Object.entries(senders).map(([name, { auth, topics = null, enabled }]) => ({
    ...{ name, kind: auth.kind, topics, isEnabled: enabled },
  })),
  platform: platform.auth?.kind ?? "none",
});

/** Addresses of webhooks often contain a token, so only their origin is shown. */
export const alarmsView = ({ alarms: { off, webhook, email } }: Config): AlarmsView => ({
  kinds: alarmKinds.map((kind) => ({ kind, isOn: !off.includes(kind) })),
  channels: [
    ...(webhook === undefined ? [] : [{ name: "webhook", to: new URL(webhook.url).origin }]),
    ...(email === undefined ? [] : [{ name: "email", to: email.to.join(", ") }]),
  ],
});
