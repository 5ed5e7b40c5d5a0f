import { X509Certificate } from "node:crypto";
import { lookup } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { connect as connectPlain, createServer, isIP } from "node:net";
import { connect as connectSecure, getCACertificates, type TLSSocket } from "node:tls";
import { type Environment, proxyFor } from "../../http-client/network/proxy-choice.ts";
import type { ExternalAddress } from "./external-addresses.ts";
import { type Finding, failure, fine, reasonOf, warning } from "./finding.ts";

const timeoutMs = 5_000;
const dayMs = 86_400_000;
const expiryDays = 14;

/** Examines whether the name of an external system can be resolved and its certificate is valid. */
export async function examineAddress(
  { url, ca, proxy }: ExternalAddress,
  { now, environment }: { readonly now: number; readonly environment?: Environment | undefined },
): Promise<Finding[]> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const subject = `address ${url.host}`;
  if (url.protocol === "http:" || url.protocol === "https:") {
    const examined = await examineProxy(subject, () => proxyFor(url, { proxy, environment }));
    if (examined !== null) return [examined];
  }
  if (isIP(host) === 0) {
    try {
      await lookup(host);
    } catch (error) {
      const remedy =
        "Correct the host name, or the DNS server of this machine: getent hosts NAME shows what it answers.";
      return [failure(subject, `the name is not known: ${reasonOf(error)}`, remedy)];
    }
  }
  const port = Number(url.port) || { "http:": 80, "https:": 443, "sftp:": 22 }[url.protocol];
  if (port === undefined) return [fine(subject, "the name is known")];
  try {
    if (url.protocol === "https:") return [await examineCertificate({ subject, host, port, ca, now })];
    await reach(host, port);
    return [fine(subject, "it takes connections")];
  } catch (error) {
    const remedy = `Check the address, the firewall and, if there is one, the proxy: nc -vz ${host} ${port}`;
    return [failure(subject, `no connection: ${reasonOf(error)}`, remedy)];
  }
}

/**
 * Examines the way to the proxy of an address; null if there is none. What is behind it is not examined, because the
 * proxy resolves the name and this machine may not be able to.
 */
async function examineProxy(subject: string, find: () => URL | null): Promise<Finding | null> {
  const remedy = "Correct HTTPS_PROXY, HTTP_PROXY or `proxy` of the connector; NO_PROXY names hosts to reach directly.";
  let name = "";
  try {
    const proxy = find();
    if (proxy === null) return null;
    name = ` ${proxy.protocol}//${proxy.host}`;
    const port = Number(proxy.port) || (proxy.protocol === "https:" ? 443 : 80);
    await reach(proxy.hostname.replace(/^\[|\]$/g, ""), port);
    return fine(subject, `reached through the proxy${name}, which takes connections`);
  } catch (error) {
    return failure(subject, `no connection to its proxy${name}: ${reasonOf(error)}`, remedy);
  }
}

function reach(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connectPlain({ host, port, timeout: timeoutMs });
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
    socket.once("timeout", () => socket.destroy(new Error(`no answer within ${timeoutMs / 1000} seconds`)));
    socket.once("error", reject);
  });
}

interface Peer {
  readonly subject: string;
  readonly host: string;
  readonly port: number;
  readonly ca: string | undefined;
  readonly now: number;
}

async function examineCertificate({ subject, host, port, ca, now }: Peer): Promise<Finding> {
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    // Connects only to read the certificate; nothing is sent.
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const trusted = ca === undefined ? {} : { ca: [...getCACertificates("default"), ca] };
    const way = { host, port, ...servername, ...trusted };
    const opened = connectSecure({ ...way, rejectUnauthorized: false, timeout: timeoutMs });
    opened.once("secureConnect", () => resolve(opened));
    opened.once("timeout", () => opened.destroy(new Error(`no answer within ${timeoutMs / 1000} seconds`)));
    opened.once("error", reject);
  });
  const certificate = socket.getPeerX509Certificate();
  // Null if the certificate is valid; the declared type lacks null.
  const fault = socket.authorizationError as unknown;
  socket.destroy();
  if (fault != null) {
    const remedy = "If the authority is your own: NODE_EXTRA_CA_CERTS=/path/ca.pem, or `ca` of the connector.";
    return failure(subject, `its certificate is not trusted: ${reasonOf(fault)}`, remedy);
  }
  return certificate === undefined ? fine(subject, "it takes connections") : expiryOf(subject, certificate, now);
}

function expiryOf(subject: string, { validTo }: X509Certificate, now: number): Finding {
  const days = Math.floor((Date.parse(validTo) - now) / dayMs);
  const text = `the certificate is valid for ${days} days, until ${validTo}`;
  if (days < 0) return failure(subject, `the certificate expired on ${validTo}`, "Renew it.");
  return days < expiryDays ? warning(subject, text, "Renew it before it expires.") : fine(subject, text);
}

/** Examines the certificate with which the adapter itself serves. */
export function examineOwnCertificate(file: string, now: number): Finding {
  const subject = "platform.tls";
  try {
    return expiryOf(subject, new X509Certificate(readFileSync(file)), now);
  } catch (error) {
    return failure(
      subject,
      `${file} cannot be used: ${reasonOf(error)}`,
      "Write the path of a certificate in PEM form.",
    );
  }
}

/** Examines whether the adapter could listen; called only if none runs here. */
export async function examinePort({ host, port }: { host: string; port: number }): Promise<Finding> {
  const subject = `port ${port}`;
  try {
    await new Promise<void>((resolve, reject) => {
      const server = createServer();
      server.once("error", reject);
      server.listen(port, host, () => server.close(() => resolve()));
    });
    return fine(subject, `free on ${host}`);
  } catch (error) {
    const remedy = `Stop the other program (ss -ltnp shows it), or choose another port or address: PORT, HOST.`;
    return failure(subject, `cannot be listened on at ${host}: ${reasonOf(error)}`, remedy);
  }
}
