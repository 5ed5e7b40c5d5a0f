/** An address that the adapter calls, with what its connector says about the way there. */
export interface ExternalAddress {
  readonly url: URL;
  /** Certificates (PEM) that the connector trusts besides the usual ones. */
  readonly ca?: string;
  /** The connector's own setting; absent: as the environment says. */
  readonly proxy?: string;
}

/** Members whose texts are called. Other texts may begin like an address, such as the name of a scope or of a header. */
const calledMembers = /(url|location|address|endpoint|server|host)$/i;
/** The adapter's own address, which this machine may not reach. */
const ownMember = "publicUrl";
const callable = /^(https?|sftp|postgres(ql)?|mysql|mssql):\/\//;

type Way = Omit<ExternalAddress, "url">;

/** The addresses of external systems in a part of the configuration, each once. */
export function externalAddresses(value: unknown): ExternalAddress[] {
  const found = new Map<string, ExternalAddress>();
  const walk = (one: unknown, way: Way): void => {
    if (typeof one !== "object" || one === null) return;
    const inside = { ...way, ...wayIn(one) };
    for (const [name, member] of Object.entries(one)) {
      if (typeof member !== "string") walk(member, inside);
      else if (calledMembers.test(name) && name !== ownMember && callable.test(member) && URL.canParse(member)) {
        const url = new URL(member);
        found.set(`${url.protocol}//${url.host}`, { url, ...inside });
      }
    }
  };
  walk(value, {});
  return [...found.values()];
}

/** What an object says about the way to the addresses inside it: `proxy`, and `ca` beside them or below `tls`. */
function wayIn(one: object): Way {
  const text = (of: unknown, name: string): string | undefined => {
    const member: unknown = typeof of === "object" && of !== null ? Reflect.get(of, name) : undefined;
    return typeof member === "string" ? member : undefined;
  };
  const ca = text(one, "ca") ?? text(Reflect.get(one, "tls"), "ca");
  const proxy = text(one, "proxy");
  return { ...(ca === undefined ? {} : { ca }), ...(proxy === undefined ? {} : { proxy }) };
}
