/**
 * A headless Chromium that logs in on the pages of `authorization-server.ts`. It can reach loopback only. One instance
 * is enough for a test file, because each login has a profile of its own.
 *
 *     const chromium = await openChromium();
 *     const { url, text } = await chromium.login(step.url, { user: "ada" });
 *     await chromium.close();
 */
import { existsSync, readFileSync } from "node:fs";
import { chromium, type Browser, type Page } from "playwright-core";

export interface Chromium {
  /** Resolves with the URL and text of the page to which the login returned. */
  login(url: string, options?: { readonly user?: string }): Promise<{ readonly url: string; readonly text: string }>;
  close(): Promise<void>;
}

const LOOPBACK_ONLY_FLAG = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost";

/**
 * Starts the browser itself, for tests of a page. It can reach loopback only. Uses Chromium's headless shell if it is
 * installed, which needs half of the processor time. `whole` starts the whole browser, because the shell has no
 * notifications.
 */
export function launchChromium({ whole = false }: { readonly whole?: boolean } = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(whole ? DEFAULT_PATHS : [HEADLESS_SHELL, ...DEFAULT_PATHS]),
    args: ["--no-sandbox", "--disable-background-networking", LOOPBACK_ONLY_FLAG],
  });
}

export async function openChromium(): Promise<Chromium> {
  const browser = await launchChromium();
  return {
    async login(url, { user = "ada" } = {}) {
      const context = await browser.newContext();
      try {
        const page = await context.newPage();
        await logIn(page, url, user);
        return { url: page.url(), text: await page.innerText("body") };
      } finally {
        await context.close();
      }
    },
    close: () => browser.close(),
  };
}

/** Logs in on the pages of `authorization-server.ts`. */
export async function logIn(page: Page, url: string, user: string): Promise<void> {
  const { origin } = new URL(url);
  await page.goto(url);
  await page.getByLabel("User").fill(user);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("button", { name: "Allow" }).click();
  await page.waitForURL((current) => current.origin !== origin);
}

/** Usual paths of Chromium. `scripts/test-runner/system-packages.mjs` reads the same list. */
const DEFAULT_PATHS: readonly string[] = JSON.parse(
  readFileSync(new URL("../../chromium-paths.json", import.meta.url), "utf8"),
);

/** The program of Debian's package `chromium-headless-shell`. */
const HEADLESS_SHELL = "/usr/bin/chromium-headless-shell";

function findChromium(paths: readonly string[]): string {
  const configuredPath = process.env["CHROMIUM"];
  const path = (configuredPath === undefined ? paths : [configuredPath]).find((candidate) => existsSync(candidate));
  if (path !== undefined) return path;
  const advice = "Install it (Debian: apt-get install chromium), or name it in the environment variable CHROMIUM.";
  throw new Error(`There is no Chromium at ${configuredPath ?? DEFAULT_PATHS[0]}. ${advice}`);
}
