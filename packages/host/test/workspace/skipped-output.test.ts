/** Tests how a host shows servers that print lines that are not messages. */
import { Host } from "#core/host.js";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { expect, it, onTestFinished } from "vitest";

it(
  "the status of a server counts the lines of its output that are not messages",
  { meta: { covers: ["F5"] } },
  async () => {
    const chatty = `process.stdout.write("Welcome!\\nversion 1\\n"); import(${JSON.stringify(scriptedLegacy().args[0])});`;
    const host = new Host({ env: { PATH: process.env["PATH"], XDG_CONFIG_HOME: "/nonexistent" } });
    onTestFinished(() => host.close());
    const servers = { s: { command: process.execPath, args: ["-e", chatty] }, quiet: scriptedLegacy() };
    const workspace = await host.open({ cwd: ".", servers });
    expect((await workspace.start()).ready.toSorted()).toEqual(["quiet", "s"]);
    const [noisy, quiet] = workspace.status();
    expect(noisy).toMatchObject({ id: "s", skippedMessages: 2 });
    expect(quiet).not.toHaveProperty("skippedMessages");
  },
);
