/** What is wrong with a text that should be the URL of a server. A user in it is fine: it is sent as Basic authentication. */
export function wrongWebUrl(text: string): string | undefined {
  const protocol = URL.canParse(text) ? new URL(text).protocol : undefined;
  return protocol === "http:" || protocol === "https:" ? undefined : '"url" must be an http(s) URL';
}
