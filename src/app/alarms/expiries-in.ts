import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Config } from "../../config/config-schema.ts";
import type { Expiry } from "../../engine/alarms/house-conditions.ts";
import { readDateTime } from "../../operation/dates.ts";

/**
 * Everything in the configuration that ends on a day and says so: certificates and tokens, wherever they stand, the
 * files of our own listener, and what a person has written down.
 */
export function expiriesIn({ connectors, platform, alarms, timeZone }: Config): Expiry[] {
  const { tls } = platform;
  const files = tls === undefined ? [] : [["cert", tls.cert] as const, ["clientCa", tls.clientCa] as const];
  return [
    ...inTexts(connectors, ["connectors"]),
    ...files.flatMap(([name, file]) => {
      const at = file === undefined ? null : endOfCertificates(contentOf(file), name);
      return at === null ? [] : [{ name: `platform.tls.${name}`, at }];
    }),
    // The day itself is still good.
    ...alarms.expiries.map(({ name, at }) => ({ name, at: endOfDay(at, timeZone) })),
  ];
}

function inTexts(value: unknown, path: readonly string[]): Expiry[] {
  if (typeof value === "string") {
    const at = endOfCertificates(value, path.at(-1) ?? "") ?? endOfToken(value);
    return at === null ? [] : [{ name: path.join("."), at }];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => inTexts(member, [...path, name]));
}

/** Of a certificate and those between it and its root the first to end counts; of authorities the last. */
function endOfCertificates(text: string, name: string): number | null {
  const ends = [...text.matchAll(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)].flatMap(([pem]) => {
    try {
      return [new X509Certificate(pem).validToDate.getTime()];
    } catch {
      // Whoever uses it says so more exactly.
      return [];
    }
  });
  if (ends.length === 0) return null;
  return /ca$/i.test(name) ? Math.max(...ends) : Math.min(...ends);
}

const tokenForm = /^(?:Bearer )?([\w-]+)\.([\w-]+)\.[\w-]+$/;

/** The end that a signed token names in its middle part. */
function endOfToken(text: string): number | null {
  const [, head, claims] = tokenForm.exec(text) ?? [];
  if (head === undefined || claims === undefined) return null;
  try {
    if (typeof JSON.parse(Buffer.from(head, "base64url").toString()).alg !== "string") return null;
    // A token comes from anywhere: whatever its claims are, only this member is looked at, and it is checked.
    const { exp } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { exp?: unknown };
    return typeof exp === "number" && Number.isFinite(exp) ? exp * 1000 : null;
  } catch {
    return null;
  }
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // The listener says so in the log, and goes on with what it has.
    return "";
  }
}

function endOfDay(day: string, timeZone: string): number {
  const begin = readDateTime(day, { timeZone, timeOfDay: "00:00" });
  // Checked when the configuration was read; a day that is none ends nothing.
  return begin === null ? Number.POSITIVE_INFINITY : Date.parse(begin) + 86_400_000;
}
