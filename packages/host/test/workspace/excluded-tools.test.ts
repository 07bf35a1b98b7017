/** Tests that excluded tools can't be called. */
import { createHost } from "@plugboard/host";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { expect, it, onTestFinished } from "vitest";

async function open(options: Parameters<typeof createHost>[0]) {
  const host = await createHost({ persist: false, env: {}, permissions: { allow: ["*"] }, ...options });
  onTestFinished(() => host.close());
  return host;
}

const servers = { s: { ...scriptedLegacy(), tools: { exclude: ["ec*"] }, start: "lazy" } as const };

it(
  "a call of a tool that the definition excludes is rejected, even if the server has never started",
  { meta: { covers: ["R0.35"] } },
  async () => {
    const host = await open({ servers: { s: { ...servers.s, enabled: false } } });
    await host.servers.connect("s", { definition: servers.s }).catch(() => {});
    await host.servers.disconnect("s");
    await expect(host.tools.call("s:echo", { text: "hi" })).rejects.toMatchObject({
      code: "TOOL_OFF",
      details: { by: "tools.exclude" },
    });
  },
);

it("a tool that the program excludes is neither listed nor callable", { meta: { covers: ["R0.35"] } }, async () => {
  const host = await open({ servers: { s: scriptedLegacy() }, exclude: ["s:echo"] });
  await host.ready();
  expect(host.tools.list().map(({ tool }) => tool)).not.toContain("echo");
  for (const ref of ["s:echo", "mcp__s__echo", { server: "s", tool: "echo" }]) {
    await expect(host.tools.call(ref, { text: "hi" })).rejects.toMatchObject({
      code: "TOOL_OFF",
      details: { by: "program" },
    });
  }
});
