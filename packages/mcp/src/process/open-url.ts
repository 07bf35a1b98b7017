/**
 * Shows the user a page, in the browser they have. The URL is somebody else's:
 * it is one argument of one program, without a shell, and of what a shell would
 * see something in nothing is left in it.
 */
import { parseUrl } from "@plugboard/contracts";
import { spawn } from "node:child_process";
import { win32 } from "node:path";
import { systemClock } from "../lib/clock.ts";
import type { Clock } from "../lib/clock.ts";
import type { Environment } from "./server-environment.ts";

/** `why`, in words, it is for the user to open it. */
export type OpenResult = { readonly opened: true } | { readonly opened: false; readonly reason: string };

interface OpenOptions {
  readonly clock?: Clock;
  readonly env?: Environment;
  readonly platform?: NodeJS.Platform;
}

interface OpenCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** What opens pages has passed them on by then, or is the browser itself. */
const STARTUP_MS = 2000;

/** Never throws. The browser outlives us. */
export async function openUrl(url: string, options: OpenOptions = {}): Promise<OpenResult> {
  const { clock = systemClock, env = process.env, platform = process.platform } = options;
  const opener = openCommand(platform, url, env);
  if (!opener) return { opened: false, reason: "it is no http or https URL that a browser could be trusted with" };
  const { command, args } = opener;
  return new Promise((resolve) => {
    const settle = (reason?: string) => resolve(reason === undefined ? { opened: true } : { opened: false, reason });
    const failed = ({ code, name }: NodeJS.ErrnoException) => settle(`${command} can't be started (${code ?? name})`);
    try {
      const child = spawn(command, [...args], { env: { ...env }, detached: true, stdio: "ignore" });
      const stopWaiting = clock.after(STARTUP_MS, () => settle());
      child.once("error", (error) => {
        stopWaiting();
        failed(error);
      });
      child.once("exit", (code, signal) => {
        stopWaiting();
        settle(code === 0 ? undefined : `${command} ended with ${signal ?? `exit code ${code}`}`);
      });
      child.unref();
    } catch (error) {
      failed(error as NodeJS.ErrnoException);
    }
  });
}

/** Nothing for what is not to be opened. Pure. */
export function openCommand(platform: NodeJS.Platform, url: string, env: Environment = {}): OpenCommand | undefined {
  const safe = safeUrl(url);
  if (safe === undefined) return undefined;
  switch (platform) {
    case "win32":
      // By its full path: a bare name is looked for in the current folder first. `start` would need a shell.
      return {
        command: win32.join(env["SystemRoot"] ?? "C:\\Windows", "System32", "rundll32.exe"),
        args: ["url.dll,FileProtocolHandler", safe],
      };
    case "darwin":
      return { command: "/usr/bin/open", args: [safe] };
    default:
      return { command: browserFromEnv(env) ?? "xdg-open", args: [safe] };
  }
}

/** The one program that `BROWSER` names. Lists and templates are left to `xdg-open`, which knows them. */
function browserFromEnv({ BROWSER = "" }: Environment): string | undefined {
  return /^[^\s:%]+$/.test(BROWSER) ? BROWSER : undefined;
}

function safeUrl(text: string): string | undefined {
  const url = parseUrl(text);
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  // A name may hold nearly anything, as far as `URL` is concerned.
  if (!/^(?:[\w.-]+|\[[\da-f:]+\])$/.test(url.hostname)) return undefined;
  return url.href.replaceAll(/[^\w\-.~:/?#[\]@&+,=%]/g, percentEncode);
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}
