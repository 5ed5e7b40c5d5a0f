import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { type ConnectionOptions, checkServerIdentity, getCACertificates } from "node:tls";

/**
 * All processes of a deployment use the same certificate, so the owner is recognised by it, whatever its address. Any
 * other certificate must come from a known authority and match the owner's name.
 */
export function trustInOwner(certificateFile: string): ConnectionOptions {
  return {
    // Read at each connection, because the certificate is renewed while the process runs.
    get ca() {
      return [...getCACertificates("default"), readFileSync(certificateFile, "utf8")];
    },
    // The certificate itself is trusted, also without its authority.
    allowPartialTrustChain: true,
    checkServerIdentity: (host, shown) => {
      const own = new X509Certificate(readFileSync(certificateFile));
      return own.raw.equals(shown.raw) ? undefined : checkServerIdentity(host, shown);
    },
  };
}
