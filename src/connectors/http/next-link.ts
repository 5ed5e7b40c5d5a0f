/** The address that a `Link` header (RFC 8288) names as the next page. */
export function nextLink(header: string | readonly string[] | undefined, base: URL): URL | undefined {
  const text = [header ?? []].flat().join(", ");
  for (const [, address = "", parameters = ""] of text.matchAll(
    /<([^>]*)>((?:\s*;\s*[^",;\s=]+\s*(?:=\s*(?:"[^"]*"|[^",;\s]*))?)*)/g,
  )) {
    const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^",;\s]*))/i.exec(parameters);
    const relations = (relation?.[1] ?? relation?.[2] ?? "").toLowerCase().split(/\s+/);
    if (relations.includes("next") && URL.canParse(address, base.href)) return new URL(address, base);
  }
  return undefined;
}
