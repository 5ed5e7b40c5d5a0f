import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Config } from "../../config/config-schema.ts";
import type { Expiry } from "../../engine/alarms/alarm-conditions.ts";
import { readDateTime } from "../../operation/dates.ts";

/**
 * Returns everything in the configuration that expires: certificates and tokens in any option, the files of the
 * adapter's own listener, and the configured expiry dates.
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
    // The last day itself is still valid.
    ...alarms.expiries.map(({ name, lastDay }) => ({ name, at: endOfDay(lastDay, timeZone) })),
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

/** When certificates expire: a chain with its first certificate to expire, a list of authorities with its last. */
function endOfCertificates(text: string, name: string): number | null {
  const ends = [...text.matchAll(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)].flatMap(([pem]) => {
    try {
      return [new X509Certificate(pem).validToDate.getTime()];
    } catch {
      // Not a readable certificate; the connector that uses it reports that more exactly.
      return [];
    }
  });
  if (ends.length === 0) return null;
  return /ca$/i.test(name) ? Math.max(...ends) : Math.min(...ends);
}

const tokenForm = /^(?:Bearer )?([\w-]+)\.([\w-]+)\.[\w-]+$/;

/** The `exp` claim in the payload of a JWT. */
function endOfToken(text: string): number | null {
  const [, head, claims] = tokenForm.exec(text) ?? [];
  if (head === undefined || claims === undefined) return null;
  try {
    if (typeof JSON.parse(Buffer.from(head, "base64url").toString()).alg !== "string") return null;
    // The token may contain any claims; only this member is read, and it is checked.
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
    // The listener logs the missing file and keeps the certificates it has loaded.
    return "";
  }
}

function endOfDay(day: string, timeZone: string): number {
  const begin = readDateTime(day, { timeZone, timeOfDay: "00:00" });
  // Dates were checked when the configuration was loaded; an invalid one never expires.
  return begin === null ? Number.POSITIVE_INFINITY : Date.parse(begin) + 86_400_000;
}
