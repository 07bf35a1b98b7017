/**
 * Opens the page of a real host in a real Chromium. The test fails if a script violates the content security policy or
 * throws, or if there is a request to an origin other than those of the page and the sandbox of Apps.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerEntry } from "@plugboard/contracts";
import { startDaemon } from "@plugboard/daemon";
import type { Daemon } from "@plugboard/daemon";
import { launchChromium } from "@plugboard/testkit/programs/chromium";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";

/** The command that other clients start. */
export const SCRIPT = fileURLToPath(new URL("../../../cli/bin/plugboard.js", import.meta.url));

export interface PageHost {
  readonly daemon: Daemon;
  readonly folder: string;
  readonly configFile: string;
  readonly env: { readonly [name: string]: string };
  writeConfig(servers: Servers, permissions?: object): Promise<void>;
}

type Servers = { readonly [id: string]: ServerEntry };

/** Starts a host with these servers for one test. `configFiles` are those of `--config`. */
export async function startPageHost(
  servers: Servers,
  permissions: object = {},
  variables: { readonly [name: string]: string } = {},
  configFiles: readonly string[] = [],
): Promise<PageHost> {
  const folder = await mkdtemp(join(tmpdir(), "plugboard-page-"));
  const configFile = join(folder, "config.json");
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    XDG_STATE_HOME: join(folder, "state"),
    PLUGBOARD_CONFIG_PATH: configFile,
    ...variables,
  };
  const writeConfig: PageHost["writeConfig"] = (changed, rules = permissions) =>
    writeFile(configFile, JSON.stringify({ mcp: { servers: changed, permissions: rules } }));
  await writeConfig(servers);
  const daemon = await startDaemon({ port: 0, env, lingerMs: 0, spec: { cwd: folder, configFiles }, script: SCRIPT });
  onTestFinished(async () => {
    await daemon.stop();
    await rm(folder, { recursive: true, force: true });
  });
  await daemon.workspace.start();
  return { daemon, folder, configFile, env, writeConfig };
}

interface TabOptions extends BrowserContextOptions {
  /** True if a server of the test tries to break the policy. The test itself checks what was stopped. */
  readonly expectsViolations?: boolean;
  /** Origins that an App declares. */
  readonly allowedOrigins?: readonly string[];
}

/** Returns the only origin that the page may put into a frame. */
async function sandboxOrigin(endpoint: string): Promise<string> {
  const policy = (await fetch(`${endpoint}/`)).headers.get("content-security-policy") ?? "";
  return /frame-src (\S+);/.exec(policy)![1]!;
}

/** Starts one browser for all tests of a file. Called at the top of the file, before its tests. */
export function useBrowser(options?: Parameters<typeof launchChromium>[0]) {
  let browser: Browser;
  beforeAll(async () => void (browser = await launchChromium(options)));
  afterAll(() => browser.close());

  const openTab = async ({ daemon }: PageHost, tabOptions: TabOptions = {}): Promise<Page> => {
    const { expectsViolations = false, allowedOrigins = [], ...options } = tabOptions;
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    const violations: string[] = [];
    const { origin: link } = new URL(daemon.openPage().url);
    const origins = [daemon.endpoint!, await sandboxOrigin(daemon.endpoint!), link, ...allowedOrigins];
    page.on("pageerror", (error) => violations.push(`error: ${error.message}`));
    page.on("console", (message) => {
      if (/Content Security Policy|Trusted ?Type|Refused to/i.test(message.text())) violations.push(message.text());
    });
    const isAllowed = (url: string) =>
      origins.some((origin) => url.startsWith(`${origin}/`)) || /^(?:data|blob|about):/.test(url);
    page.on("request", (request) => {
      if (!isAllowed(request.url())) violations.push(`request to ${request.url()}`);
    });
    // A policy may stop a request of a hostile server, but no test accepts an answer from another origin.
    const answers: string[] = [];
    page.on("response", (response) => {
      if (!isAllowed(response.url())) answers.push(response.url());
    });
    onTestFinished(async () => {
      await context.close();
      expect(answers).toEqual([]);
      if (!expectsViolations) expect(violations).toEqual([]);
    });
    return page;
  };

  /** Opens the page by a new link, signed in, at a view such as `#/tools`. */
  const openPage = async (host: PageHost, view = "#/servers", options?: TabOptions): Promise<Page> => {
    const page = await openTab(host, options);
    await page.goto(host.daemon.openPage().url);
    await page.getByRole("heading", { level: 1, name: "Servers" }).waitFor();
    await goTo(page, view);
    return page;
  };

  return { openTab, openPage, newContext: () => browser.newContext() };
}

export async function goTo(page: Page, view: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
}
