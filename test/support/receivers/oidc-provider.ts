import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

interface Code {
  readonly challenge: string;
  readonly nonce: string;
  readonly redirectUri: string;
}

/** What the groups of a person permit. */
export const oidcRoles = { claim: "groups", viewer: ["staff"], operator: ["leads"], admin: ["it"] };

/** The configuration of an adapter at which people sign in by this provider. */
export const oidcConfig = (
  { issuer, clientId, clientSecret }: Awaited<ReturnType<typeof oidcProvider>>,
  more: object = {},
) => ({ console: { oidc: { issuer, clientId, clientSecret, roles: oidcRoles, ...more } } });

const client = { id: "crossdock", secret: "client-secret-0123456789" };

/**
 * A small OpenID Connect provider: discovery, code flow with PKCE, signed id tokens, user info. Everybody who signs in
 * is `person`. `spoil` makes it answer something wrong.
 */
export async function oidcProvider() {
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const stranger = await generateKeyPair("RS256");
  const jwk = { ...(await exportJWK(publicKey)), kid: "one", alg: "RS256", use: "sig" };
  const codes = new Map<string, Code>();
  const provider = {
    issuer: "",
    ...{ clientId: client.id, clientSecret: client.secret },
    person: { sub: "17", preferred_username: "kim", groups: ["leads"] } as Record<string, unknown>,
    /** Claims that only the user info address returns. */
    more: {} as Record<string, unknown>,
    spoil: {} as { claims?: Record<string, unknown>; isStranger?: boolean; state?: string; isDown?: boolean },
    authorizations: [] as URLSearchParams[],
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  const authorize = (query: URLSearchParams): string => {
    provider.authorizations.push(query);
    const code = randomUUID();
    const redirectUri = query.get("redirect_uri") ?? "";
    codes.set(code, { challenge: query.get("code_challenge") ?? "", nonce: query.get("nonce") ?? "", redirectUri });
    const back = new URL(redirectUri);
    back.searchParams.set("code", code);
    back.searchParams.set("state", provider.spoil.state ?? query.get("state") ?? "");
    return back.href;
  };
  const token = async (request: IncomingMessage, form: URLSearchParams) => {
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const basic = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString("base64")}`;
    const isClient = request.headers.authorization === basic || form.get("client_secret") === client.secret;
    if (
      code === undefined ||
      challenge !== code.challenge ||
      form.get("redirect_uri") !== code.redirectUri ||
      !isClient
    ) {
      return { status: 400, body: { error: "invalid_grant" } };
    }
    const seconds = Math.floor(Date.now() / 1000);
    const claims = {
      ...{ iss: provider.issuer, aud: client.id, iat: seconds, exp: seconds + 300, nonce: code.nonce },
      ...{ ...provider.person, ...provider.spoil.claims },
    };
    const key = provider.spoil.isStranger === true ? stranger.privateKey : privateKey;
    const idToken = await new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "one" }).sign(key);
    return { status: 200, body: { access_token: "access", token_type: "Bearer", expires_in: 300, id_token: idToken } };
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://provider");
    const send = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    let text = "";
    request.on("data", (chunk) => {
      text += String(chunk);
    });
    request.on("end", () => {
      const { issuer } = provider;
      if (provider.spoil.isDown === true) return send(503, {});
      if (url.pathname === "/authorize")
        return response.writeHead(302, { location: authorize(url.searchParams) }).end();
      if (url.pathname === "/jwks") return send(200, { keys: [jwk] });
      if (url.pathname === "/me") return send(200, { sub: provider.person["sub"], ...provider.more });
      if (url.pathname === "/token") {
        return void token(request, new URLSearchParams(text)).then(({ status, body }) => send(status, body));
      }
      return send(200, {
        ...{ issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
        ...{ jwks_uri: `${issuer}/jwks`, userinfo_endpoint: `${issuer}/me`, response_types_supported: ["code"] },
        ...{ subject_types_supported: ["public"], id_token_signing_alg_values_supported: ["RS256"] },
        ...{ code_challenge_methods_supported: ["S256"] },
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  provider.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return provider;
}
