/**
 * What a user does in a browser, without one: follows redirects with cookies and fills in the forms of
 * `authorization-server.ts`, until it is sent elsewhere, that is back to whoever wants the login, or the forms end.
 *
 *     const { url } = await completeLogin(step.url);                 // the redirect, not followed
 *     await completeLogin(step.url, { callback: "visit" });          // followed, as a browser does
 *     await completeLogin(device.url, { code: device.code });        // the pages of the device flow
 */
export interface CompleteLoginOptions {
  /** As whom; `ada` unless told otherwise. */
  readonly user?: string;
  /** Whether to refuse, where the page asks for consent. */
  readonly deny?: boolean;
  /** What a device shows. */
  readonly code?: string;
  readonly callback?: "return" | "visit";
}

export interface CompletedLogin {
  readonly url: string;
  /** Of the page it ended at, without markup; nothing where a redirect was not followed. */
  readonly text?: string;
}

const MAX_STEPS = 20;

export async function completeLogin(start: string, options: CompleteLoginOptions = {}): Promise<CompletedLogin> {
  const cookies = new Cookies();
  const { origin } = new URL(start);
  let step: PageRequest = { url: new URL(start) };
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const { url, form } = step;
    const isCallback = url.origin !== origin;
    if (isCallback && options.callback !== "visit") return { url: url.href };
    const response = await fetch(url, {
      redirect: "manual",
      headers: isCallback ? {} : { cookie: cookies.for(url) },
      ...(form && { method: "POST", body: form }),
    });
    const html = await response.text();
    const location = response.headers.get("location");
    if (!isCallback) cookies.store(url, response.headers.getSetCookie());
    const next = location === null ? fillIn(url, html, options) : { url: new URL(location, url) };
    if (isCallback || next === undefined) return { url: url.href, text: html.replace(/<[^>]*>/g, " ").trim() };
    step = next;
  }
  throw new Error(`the login has more than ${MAX_STEPS} steps; the last was ${step.url.href}`);
}

interface PageRequest {
  readonly url: URL;
  readonly form?: URLSearchParams;
}

/** The first form of a page as a user would send it; nothing if there is none. */
function fillIn(
  url: URL,
  html: string,
  { user = "ada", deny = false, code }: CompleteLoginOptions,
): PageRequest | undefined {
  const found = /<form([^>]*)>([^]*?)<\/form>/.exec(html);
  if (!found) return undefined;
  const form = new URLSearchParams();
  for (const [, attributes = ""] of found[2]?.matchAll(/<input([^>]*)>/g) ?? []) {
    const name = attribute(attributes, "name") ?? "";
    form.set(name, attribute(attributes, "value") ?? { user, user_code: code }[name] ?? "");
  }
  const buttons = [...(found[2]?.matchAll(/<button([^>]*)>/g) ?? [])].map(([, attributes = ""]) => attributes);
  const pressed = buttons.find((attributes) => (attribute(attributes, "value") === "deny") === deny) ?? buttons[0];
  if (pressed !== undefined) form.set(attribute(pressed, "name") ?? "", attribute(pressed, "value") ?? "");
  return { url: new URL(attribute(found[1] ?? "", "action") ?? url.href, url), form };
}

function attribute(attributes: string, name: string): string | undefined {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1];
}

/** Of one origin. Two of the same name may hold for different paths. */
class Cookies {
  readonly #cookies = new Map<string, { readonly path: string; readonly pair: string }>();

  store(url: URL, lines: readonly string[]): void {
    for (const line of lines) {
      const [pair = ""] = line.split(";");
      const path = /;\s*path=([^;]*)/i.exec(line)?.[1] ?? url.pathname;
      const expires = /;\s*expires=([^;]*)/i.exec(line)?.[1];
      const key = `${pair.split("=")[0]};${path}`;
      if (expires !== undefined && Date.parse(expires) < Date.now()) this.#cookies.delete(key);
      else this.#cookies.set(key, { path, pair });
    }
  }

  for({ pathname }: URL): string {
    return [...this.#cookies.values()]
      .flatMap(({ path, pair }) => (pathname.startsWith(path) ? [pair] : []))
      .join("; ");
  }
}
