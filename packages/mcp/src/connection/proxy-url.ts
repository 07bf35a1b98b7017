/** Returns the URL of a server behind a proxy: replaces `{id}` in the URL, or appends the id to its path. */
export function proxyUrl(url: string, id: string): string {
  const encoded = encodeURIComponent(id);
  if (url.includes("{id}")) return url.replaceAll("{id}", () => encoded);
  const [, path = "", rest = ""] = /^([^?#]*)(.*)$/s.exec(url) ?? [];
  return `${path}${path.endsWith("/") ? "" : "/"}${encoded}${rest}`;
}
