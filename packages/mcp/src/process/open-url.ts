/**
 * Opens a URL in the user's browser. The URL comes from a server and is not trusted. It is passed as one argument to
 * one program, without a shell. All characters that are special in a shell are percent-encoded.
 */
import { parseUrl, systemClock } from "@plugboard/contracts";
import { spawn } from "node:child_process";
import { win32 } from "node:path";
import type { Clock } from "@plugboard/contracts";
import { WITHOUT_MARK } from "./process-mark.ts";
import type { Environment } from "./server-environment.ts";

/** If the URL was not opened, the user has to open it by hand. `reason` says why. */
export type OpenUrlResult = { readonly opened: true } | { readonly opened: false; readonly reason: string };

interface OpenCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** An opener that still runs after this time has started the browser, or is the browser itself. */
const STARTUP_MS = 2000;

/** Never rejects. The browser keeps running after this process exits. */
export async function openUrl(
  url: string,
  options: { readonly clock?: Clock; readonly env?: Environment; readonly platform?: NodeJS.Platform } = {},
): Promise<OpenUrlResult> {
  const { clock = systemClock, env = process.env, platform = process.platform } = options;
  const opener = openCommand(platform, url, env);
  if (!opener) return { opened: false, reason: "it is not a safe http or https URL" };
  const { command, args } = opener;
  return new Promise((resolve) => {
    const settle = (reason?: string) => resolve(reason === undefined ? { opened: true } : { opened: false, reason });
    const fail = ({ code, name }: NodeJS.ErrnoException) => settle(`${command} can't be started (${code ?? name})`);
    try {
      const child = spawn(command, [...args], { env: { ...env, ...WITHOUT_MARK }, detached: true, stdio: "ignore" });
      const stopWaiting = clock.after(STARTUP_MS, () => settle());
      child.once("error", (error) => {
        stopWaiting();
        fail(error);
      });
      child.once("exit", (code, signal) => {
        stopWaiting();
        settle(code === 0 ? undefined : `${command} ended with ${signal ?? `exit code ${code}`}`);
      });
      child.unref();
    } catch (error) {
      fail(error as NodeJS.ErrnoException);
    }
  });
}

/** Returns undefined if the URL must not be opened. Pure. */
export function openCommand(platform: NodeJS.Platform, url: string, env: Environment = {}): OpenCommand | undefined {
  const encodedUrl = encodeSafeUrl(url);
  if (encodedUrl === undefined) return undefined;
  switch (platform) {
    case "win32":
      // Uses the full path, because Windows looks for a bare name in the current folder first. `start` would need a
      // shell.
      return {
        command: win32.join(env["SystemRoot"] ?? "C:\\Windows", "System32", "rundll32.exe"),
        args: ["url.dll,FileProtocolHandler", encodedUrl],
      };
    case "darwin":
      return { command: "/usr/bin/open", args: [encodedUrl] };
    default:
      return { command: browserFromEnv(env) ?? "xdg-open", args: [encodedUrl] };
  }
}

/** Returns the program that `BROWSER` names. Leaves lists and templates to `xdg-open`, which supports them. */
function browserFromEnv({ BROWSER = "" }: Environment): string | undefined {
  return /^[^\s:%]+$/.test(BROWSER) ? BROWSER : undefined;
}

/** Percent-encodes special characters. Returns undefined for a URL that must not be opened. */
function encodeSafeUrl(text: string): string | undefined {
  const url = parseUrl(text);
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  // `URL` accepts nearly any character in a hostname.
  if (!/^(?:[\w.-]+|\[[\da-f:]+\])$/.test(url.hostname)) return undefined;
  return url.href.replaceAll(/[^\w\-.~:/?#[\]@&+,=%]/g, percentEncode);
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}
