/** Sets up a server that requires a login, an authorization server, and a script that replaces the browser. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startAuthorizationServer } from "@plugboard/testkit/authorization-server";
import type { AuthorizationServer, AuthorizationServerOptions } from "@plugboard/testkit/authorization-server";
import { startProtectedServer } from "@plugboard/testkit/protected-server";
import type { ProtectedServer } from "@plugboard/testkit/protected-server";
import { expect, onTestFinished } from "vitest";
import { setUp } from "./run-plugboard.ts";
import type { Setup } from "./run-plugboard.ts";

export interface ProtectedSetup extends Setup {
  readonly as: AuthorizationServer;
  readonly server: ProtectedServer;
  /** Returns the URLs that the browser was opened with. */
  openedUrls(): Promise<readonly string[]>;
}

/** Opening the browser logs in as `ada` and follows the redirect, or does nothing. */
export async function setUpProtected(
  browser: "logs in" | "does nothing",
  options: AuthorizationServerOptions & { readonly entry?: object } = {},
): Promise<ProtectedSetup> {
  const as = await startAuthorizationServer(options);
  onTestFinished(() => as.close());
  const server = await startProtectedServer(as);
  onTestFinished(() => server.close());
  const setup = await setUp({ mcp: { servers: { notes: { url: server.url, ...options.entry } } } });
  const [bin, log] = [join(setup.cwd, "bin"), join(setup.cwd, "opened")];
  await mkdir(bin);
  await writeFile(join(bin, "xdg-open"), browserScript(log, browser === "logs in"), { mode: 0o755 });
  const env = { ...setup.env, PATH: `${bin}:${setup.env["PATH"]}` };
  const openedUrls = async () =>
    (await readFile(log, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  return { ...setup, env, as, server, openedUrls };
}

function browserScript(log: string, logsIn: boolean): string {
  const module = import.meta.resolve("@plugboard/testkit/complete-login");
  const lines = [
    `#!${process.execPath}`,
    `require("node:fs").appendFileSync(${JSON.stringify(log)}, process.argv[2] + "\\n");`,
    logsIn
      ? `import(${JSON.stringify(module)}).then(({ completeLogin }) => completeLogin(process.argv[2], { callback: "visit" }));`
      : "",
  ];
  return `${lines.join("\n")}\n`;
}

/** Returns the login URL that is shown on the screen. */
export function loginUrlIn(screen: string): string {
  const url = /^ {4}(http\S+)/m.exec(screen)?.[1];
  expect(url).toBeDefined();
  return url!;
}
