/**
 * Where a server behind a proxy is. Its id stands for `{id}` in the URL; a URL
 * without that has it appended to its path. Pure.
 */
export function proxyUrl(url: string, id: string): string {
  const encoded = encodeURIComponent(id);
  if (url.includes("{id}")) return url.replaceAll("{id}", () => encoded);
  const [, path = "", rest = ""] = /^([^?#]*)(.*)$/s.exec(url) ?? [];
  return `${path}${path.endsWith("/") ? "" : "/"}${encoded}${rest}`;
}
