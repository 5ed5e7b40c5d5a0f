import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";

/** A token issuer that publishes its keys on the loopback address. */
export async function tokenIssuer(issuer = "https://issuer.example") {
  const makeKey = async (kid: string, alg = "ES256") => ({
    kid,
    alg,
    ...(await generateKeyPair(alg, { extractable: true })),
  });
  let keys = [await makeKey("first")];
  let asked = 0;
  let isDown = false;
  const server = createServer(async (_request, response) => {
    asked++;
    if (isDown) return response.writeHead(503).end();
    const published = await Promise.all(
      keys.map(async ({ kid, alg, publicKey }) => ({ ...(await exportJWK(publicKey)), kid, alg, use: "sig" })),
    );
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ keys: published }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server on a port has this type.
  const { port } = server.address() as AddressInfo;

  const sign = (claims: Record<string, unknown> = {}, { kid }: { kid?: string } = {}) => {
    const key = keys.find((one) => one.kid === kid) ?? keys.at(-1);
    if (key === undefined) throw new Error("the issuer has no key");
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ iss: issuer, aud: "crossdock", iat: now, exp: now + 600, ...claims })
      .setProtectedHeader({ alg: key.alg, kid: kid ?? key.kid })
      .sign(key.privateKey);
  };
  return {
    issuer,
    jwksUrl: `http://127.0.0.1:${port}/jwks.json`,
    sign,
    publicPem: async () => exportSPKI((keys[0] ?? (await makeKey("none"))).publicKey),
    /** Signs with a new key from now on. With `keepOld`, the old key is still published. */
    rotate: async (kid: string, { keepOld }: { keepOld: boolean }) => {
      const next = await makeKey(kid);
      keys = keepOld ? [...keys, next] : [next];
    },
    asked: () => asked,
    setDown: (down: boolean) => {
      isDown = down;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
