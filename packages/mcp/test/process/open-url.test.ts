/** Tests that a URL is passed to the browser as one argument of one program, without a shell. */
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCommand } from "#process/open-url.js";
import { openUrl } from "@plugboard/mcp/process";
import { waitUntilDead } from "@plugboard/testkit/process-alive";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const LINUX = { platform: "linux" } as const;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "plugboard-open-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Installs a program in the first folder of the PATH. */
async function install(name: string, script: string): Promise<void> {
  await writeFile(join(folder, name), `#!/bin/sh\ncd ${folder}\n${script}\n`);
  await chmod(join(folder, name), 0o755);
}

const RECORD = `printf '%s\\n' "$#" "$@" >record`;
const recorded = async () => (await readFile(join(folder, "record"), "utf8")).trimEnd().split("\n");
const env = (variables: object = {}) => ({ PATH: `${folder}:${process.env["PATH"]}`, ...variables });

/** Each row has a URL and the argument that the program gets, or undefined if the URL is rejected. */
const URLS: [string, string | undefined][] = [
  ["https://a/?$(calc)", "https://a/?%24%28calc%29"],
  ['https://a/"&calc&"', "https://a/%22&calc&%22"],
  ["https://a/?`calc`;calc|calc&x='y'", "https://a/?%60calc%60%3Bcalc%7Ccalc&x=%27y%27"],
  ["https://a/?a b^c\\d{e}!*", "https://a/?a%20b%5Ec%5Cd%7Be%7D%21%2A"],
  ["https://a/%PATH%\n\t calc", "https://a/%PATH%%20calc"],
  ["HTTP://A.example:80\\b\\..\\c", "http://a.example/c"],
  ["http://[::1]:8123/x?a=1&b=%20#c", "http://[::1]:8123/x?a=1&b=%20#c"],
  [
    "https://as.example/authorize?scope=a+b&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2F~",
    "https://as.example/authorize?scope=a+b&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2F~",
  ],
  ["https://ü.example/ü?ü", "https://xn--tda.example/%C3%BC?%C3%BC"],
  ["file:///etc/passwd", undefined],
  ["file:////evil/share", undefined],
  ["\\\\evil\\share", undefined],
  ["//evil/share", undefined],
  ["/etc/passwd", undefined],
  ["C:\\Windows\\System32\\calc.exe", undefined],
  ["javascript:alert(1)", undefined],
  ["data:text/html,x", undefined],
  ["smb://evil/share", undefined],
  ["ms-settings:", undefined],
  ["https://ann:pass@a/", undefined],
  ["https://ann@a/", undefined],
  ["https://a$(calc)/", undefined],
  ["https://a`calc`/", undefined],
  ["https://a&calc/", undefined],
  ['https://a"b/', undefined],
  ["--help", undefined],
  ["", undefined],
];

describe("openCommand", { meta: { covers: ["S11"] } }, () => {
  it.each<[NodeJS.Platform, { [name: string]: string }, string, string[]]>([
    ["linux", {}, "xdg-open", []],
    ["freebsd", {}, "xdg-open", []],
    ["darwin", {}, "/usr/bin/open", []],
    ["darwin", { BROWSER: "firefox" }, "/usr/bin/open", []],
    ["win32", {}, "C:\\Windows\\System32\\rundll32.exe", ["url.dll,FileProtocolHandler"]],
    ["win32", { SystemRoot: "D:\\Win" }, "D:\\Win\\System32\\rundll32.exe", ["url.dll,FileProtocolHandler"]],
    ["linux", { BROWSER: "/usr/bin/firefox" }, "/usr/bin/firefox", []],
    ["linux", { BROWSER: "" }, "xdg-open", []],
    ["linux", { BROWSER: "firefox:lynx" }, "xdg-open", []],
    ["linux", { BROWSER: "sh -c %s" }, "xdg-open", []],
  ])(
    "for the platform %s with the environment %o, returns the command %s with the arguments %j and the URL",
    (platform, variables, command, before) => {
      for (const [url, safe] of URLS) {
        const expected = safe === undefined ? undefined : { command, args: [...before, safe] };
        expect(openCommand(platform, url, variables)).toEqual(expected);
      }
    },
  );

  it("keeps the meaning of the URL and leaves no shell characters in it", () => {
    const part = fc.string({ unit: "binary-ascii" });
    fc.assert(
      fc.property(part, part, part, (path, name, value) => {
        const url = new URL(`https://a/${encodeURI(path)}`);
        url.searchParams.set(name, value);
        const originalHref = decodeSome(url.href);
        const [opened = ""] = openCommand("linux", originalHref)?.args ?? [];
        expect(opened).toMatch(/^https:\/\/a\/[\w\-.~:/?#[\]@&+,=%]*$/);
        const meant = new URL(originalHref);
        expect([...new URL(opened).searchParams]).toEqual([...meant.searchParams]);
        expect(new URL(opened).host).toBe(meant.host);
      }),
    );
  });

  /** Decodes characters that other programs do not encode, so that URLs can be compared. */
  function decodeSome(href: string): string {
    return href.replaceAll(/%(?:21|22|24|27|28|29|2A|3B|3C|3E|5C|5E|60|7B|7C|7D)/g, decodeURIComponent);
  }
});

describe("openUrl", { meta: { covers: ["S11"] } }, () => {
  it.each(URLS)("turns the URL %j into the argument %j, and opens nothing if that is undefined", async (url, safe) => {
    await install("xdg-open", RECORD);
    const result = await openUrl(url, { ...LINUX, env: env() });
    if (safe === undefined) {
      expect(result).toEqual({ opened: false, reason: expect.stringContaining("http") });
      await expect(recorded()).rejects.toMatchObject({ code: "ENOENT" });
    } else {
      expect(result).toEqual({ opened: true });
      expect(await recorded()).toEqual(["1", safe]);
    }
  });

  it("passes the URL as one argument to the program in `BROWSER` too", async () => {
    await install("my-browser", RECORD);
    expect(await openUrl("https://a/?$(calc)", { ...LINUX, env: env({ BROWSER: "my-browser" }) })).toEqual({
      opened: true,
    });
    expect(await recorded()).toEqual(["1", "https://a/?%24%28calc%29"]);
  });

  it("passes on the variables that the browser needs to find the screen", async () => {
    await install("xdg-open", `printf '%s' "$DISPLAY" >record`);
    await openUrl("https://a/", { ...LINUX, env: env({ DISPLAY: ":7" }) });
    expect(await recorded()).toEqual([":7"]);
  });

  it("does not pass on the mark of a server, because the browser would be ended with that server", async () => {
    await install("xdg-open", `printf '%s' "[$PLUGBOARD_PROCESS]" >record`);
    await openUrl("https://a/", { ...LINUX, env: env({ PLUGBOARD_PROCESS: "mark" }) });
    expect(await recorded()).toEqual(["[]"]);
  });
});

describe("openUrl, if the browser can't be opened,", () => {
  it.each([
    ["exits with an error", "exit 3", "xdg-open ended with exit code 3"],
    ["is killed", "kill -KILL $$", "xdg-open ended with SIGKILL"],
  ])("reports that the program %s", async (_, script, reason) => {
    await install("xdg-open", script);
    expect(await openUrl("https://a/?key=s3cret", { ...LINUX, env: env() })).toEqual({ opened: false, reason });
  });

  it("reports that the program does not exist", async () => {
    const result = await openUrl("https://a/?key=s3cret", { ...LINUX, env: { PATH: folder } });
    expect(result).toEqual({ opened: false, reason: "xdg-open can't be started (ENOENT)" });
  });

  it("reports that the URL is longer than the system's limit for an argument", async () => {
    await install("xdg-open", RECORD);
    const result = await openUrl(`https://a/?${"x".repeat(3_000_000)}`, { ...LINUX, env: env() });
    expect(result).toEqual({ opened: false, reason: "xdg-open can't be started (E2BIG)" });
  });
});

it("openUrl does not wait for the browser to exit and leaves it running", async () => {
  await install("xdg-open", "echo $$ >pid.new; mv pid.new pid; exec sleep 60");
  const clock = new ManualClock();
  const opening = openUrl("https://a/", { ...LINUX, clock, env: env() });
  const pid = await vi.waitFor(async () => Number(await readFile(join(folder, "pid"), "utf8")), { timeout: 10_000 });
  clock.advance(2000);
  expect(await opening).toEqual({ opened: true });
  // The browser leads a process group of its own, so signals to our group do not reach it.
  process.kill(-pid, "SIGKILL");
  await waitUntilDead(pid, 5000);
  expect(clock.pendingTimers).toBe(0);
});
