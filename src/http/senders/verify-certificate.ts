import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import type { CertificateAuth } from "./auth-kinds.ts";

/** Everything a client certificate can be known by, as it is written under `subjects`. */
export function certificateNames(request: IncomingMessage): ReadonlySet<string> | null {
  const { socket } = request;
  // Somebody else's certificate is worth nothing: only one of our own authorities makes it `authorized`.
  if (!(socket instanceof TLSSocket) || !socket.authorized) return null;
  const { subject, subjectaltname, fingerprint256 } = socket.getPeerCertificate();
  if (fingerprint256 === undefined) return null;
  // Of a subject with several names the driver gives a list, which its declared type does not know.
  const common = [(subject as { CN?: string | string[] } | undefined)?.CN ?? []].flat();
  return new Set([
    ...common.map((name) => `CN=${name}`),
    ...alternatives(subjectaltname ?? ""),
    `sha256:${fingerprint256.replaceAll(":", "").toLowerCase()}`,
  ]);
}

/** `DNS:a, URI:b`; a value with a comma or a quote in it comes as a JSON text, so that it cannot pass for two. */
function alternatives(text: string): string[] {
  const parts = text.matchAll(/(?:^|, )(DNS|URI|email):("(?:[^"\\]|\\.)*"|[^",]*)(?=, |$)/g);
  return [...parts].map(([, kind, value = ""]) => `${kind}:${value.startsWith('"') ? JSON.parse(value) : value}`);
}

export function certificateVerifier({ subjects }: CertificateAuth): (names: ReadonlySet<string>) => boolean {
  const wanted = subjects.map(normalSubject);
  return (names) => wanted.some((subject) => names.has(subject));
}

/** Fingerprints are copied from many tools: with colons, in capitals. */
const normalSubject = (subject: string): string =>
  /^sha256:/i.test(subject) ? `sha256:${subject.slice(7).replaceAll(":", "").toLowerCase()}` : subject;
