/** Tests the launchd agent. Its commands run only on macOS. */
import { launchd } from "#service/launchd.js";
import { findServiceManager } from "#service/service-manager.js";
import { describe, expect, it } from "vitest";

const SPEC = {
  command: ["/usr/local/bin/node", "/opt/a & b/plugboard.js", "serve", "--service"],
  folder: "/Users/me",
  env: { PATH: "/usr/bin:<x>" },
  log: "/Users/me/.local/state/plugboard/host.log",
};

describe("launchd", () => {
  const manager = launchd("/Users/me", 501);

  it("writes an agent that runs at each login, and again after a crash", () => {
    expect(manager.file).toBe("/Users/me/Library/LaunchAgents/dev.plugboard.host.plist");
    const plist = manager.render(SPEC);
    expect(plist).toContain("<string>/opt/a &amp; b/plugboard.js</string>");
    expect(plist).toContain("<key>PATH</key>\n    <string>/usr/bin:&lt;x&gt;</string>");
    expect(plist).toMatch(/<key>RunAtLoad<\/key>\s*<true\/>/);
    expect(plist).toMatch(/<key>KeepAlive<\/key>\s*<dict>\s*<key>SuccessfulExit<\/key>\s*<false\/>/);
    expect(plist).toContain(`<key>StandardErrorPath</key>\n  <string>${SPEC.log}</string>`);
  });

  it("unloads an old agent before it loads the new one in the user's session", () => {
    expect(manager.install.map(({ words }) => words.join(" "))).toEqual([
      "launchctl bootout gui/501/dev.plugboard.host",
      `launchctl bootstrap gui/501 ${manager.file}`,
    ]);
    expect(manager.install[0]!.mayFail).toBe(true);
    expect(manager.restart.words.join(" ")).toBe("launchctl kickstart -k gui/501/dev.plugboard.host");
  });

  it("reads the state that launchctl prints", () => {
    expect(manager.isRunning("gui/501/dev.plugboard.host = {\n\tstate = running\n}")).toBe(true);
    expect(manager.isRunning("gui/501/dev.plugboard.host = {\n\tstate = not running\n}")).toBe(false);
    expect(manager.isRunning("")).toBe(false);
  });
});

describe("findServiceManager", () => {
  it("chooses the service manager of the platform, and throws SERVICE_FAILED if there is none", () => {
    expect(findServiceManager({ HOME: "/h" }, "linux").name).toBe("systemd");
    expect(findServiceManager({ HOME: "/h" }, "darwin").name).toBe("launchd");
    expect(() => findServiceManager({ HOME: "/h" }, "win32")).toThrow("no service manager of win32");
  });
});
