/**
 * Plays the user in a browser: follows redirects with cookies and fills in the forms of `authorization-server.ts`.
 * Ends at a redirect to another origin, which is the callback of the client, or at a page without a form.
 *
 *     const { url } = await completeLogin(step.url);                 // returns the redirect
 *     await completeLogin(step.url, { callback: "visit" });          // follows it like a browser
 *     await completeLogin(device.url, { code: device.code });        // the pages of the device flow
 */
export interface CompleteLoginOptions {
  /** The user name. Defaults to `ada`. */
  readonly user?: string;
  /** Denies the consent. */
  readonly deny?: boolean;
  /** The code of a device login. */
  readonly code?: string;
  /** Returns the redirect to the client's callback without following it (default), or visits it like a browser. */
  readonly callback?: "return" | "visit";
}

export interface CompletedLogin {
  readonly url: string;
  /** The text of the last page without markup. Empty for a redirect that was not followed. */
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

/** Returns the first form of a page, filled in, or undefined. */
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

/** The cookies of one origin. Two cookies of the same name may have different paths. */
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
