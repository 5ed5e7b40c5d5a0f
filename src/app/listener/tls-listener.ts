import { constants, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { createSecureContext, type SecureContextOptions, type Server, type TlsOptions } from "node:tls";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly clientCa?: string;
}

export interface TlsListener {
  readonly options: TlsOptions;
  /** Gives the server new certificates when the files change. */
  readonly follow: (server: Pick<Server, "setSecureContext">) => void;
  /** Reads the files again now, even if they are unchanged; reads other files if they are given. */
  readonly reload: (files?: TlsFiles) => void;
  readonly stop: () => void;
}

const checkEveryMs = 10_000;

/** Keeps the certificates of the server. Open connections keep theirs; new ones get the newest usable certificate. */
export function tlsListener(needs: { files: TlsFiles; clock: Clock; timers: Timers; log: Log }): TlsListener {
  const { clock, timers, log } = needs;
  let { files } = needs;
  let knownStamp = stampOf(files);
  let server: Pick<Server, "setSecureContext"> | null = null;
  let cancel = () => {};

  const reload = () => {
    // Taken before reading, so that a change while the files are read is found at the next check.
    knownStamp = stampOf(files);
    try {
      const context = contextOf(files);
      // Throws for a half-finished renewal (a new certificate with the old key), which must not reach the clients.
      createSecureContext(context);
      server?.setSecureContext(context);
      log.info({}, "the certificates were read again");
      warnIfNotValid(context.cert);
    } catch (error) {
      log.error({ err: error }, "the new certificates cannot be used; the old ones stay in use");
    }
  };
  const warnIfNotValid = (cert: Buffer) => {
    const period = validityOf(cert);
    const now = clock.now();
    if (period === null || (now >= period.from.getTime() && now <= period.until.getTime())) return;
    const facts = { validFrom: period.from.toISOString(), validUntil: period.until.toISOString() };
    log.warn(facts, "the certificate is not valid at this time; clients refuse the connection");
  };
  const check = () => {
    if (stampOf(files) !== knownStamp) reload();
    cancel = timers.after(checkEveryMs, check);
  };

  const first = contextOf(files);
  return {
    options: {
      ...first,
      handshakeTimeout: 10_000,
      // Requested but not required: each route decides whether it needs a client certificate.
      ...(files.clientCa === undefined ? {} : { requestCert: true, rejectUnauthorized: false }),
    },
    follow: (followed) => {
      server = followed;
      warnIfNotValid(first.cert);
      cancel = timers.after(checkEveryMs, check);
    },
    reload: (next) => {
      files = next ?? files;
      reload();
    },
    stop: () => cancel(),
  };
}

/** Null for a form of certificate that the listener accepts, but whose dates cannot be read here. */
function validityOf(cert: Buffer): { readonly from: Date; readonly until: Date } | null {
  try {
    const { validFromDate: from, validToDate: until } = new X509Certificate(cert);
    return { from, until };
  } catch {
    return null;
  }
}

const contextOf = ({ cert, key, clientCa }: TlsFiles): SecureContextOptions & { readonly cert: Buffer } => ({
  cert: readFileSync(cert),
  key: readFileSync(key),
  ...(clientCa === undefined ? {} : { ca: readFileSync(clientCa) }),
  minVersion: "TLSv1.2",
  // A resumed session would keep a client certificate that was verified against outdated authorities.
  secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
});

/** The state of the files. Links are resolved, because renewals often replace links and folders instead of files. */
function stampOf({ cert, key, clientCa }: TlsFiles): string {
  return [cert, key, clientCa ?? []].flat().map(stamp).join(" ");
}

function stamp(file: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(file);
    return `${mtimeMs}/${size}/${ino}`;
  } catch {
    return "missing";
  }
}
