import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { type ConnectionOptions, checkServerIdentity, getCACertificates } from "node:tls";

/**
 * All processes of a deployment serve the same certificate, so the owner is known by it, whatever its address is called.
 * Another certificate must be one of a known authority for the owner's name.
 */
export function trustInOwner(certificateFile: string): ConnectionOptions {
  return {
    // Read at each connection: it is renewed while the process runs.
    get ca() {
      return [...getCACertificates("default"), readFileSync(certificateFile, "utf8")];
    },
    // The certificate itself may be trusted without its authority.
    allowPartialTrustChain: true,
    checkServerIdentity: (host, shown) => {
      const own = new X509Certificate(readFileSync(certificateFile));
      return own.raw.equals(shown.raw) ? undefined : checkServerIdentity(host, shown);
    },
  };
}
