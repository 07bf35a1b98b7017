/** Tests which tools the first client gets while servers are still starting. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ownerToken } from "@plugboard/host/tokens";
import { startDaemon } from "@plugboard/daemon";
import { modernStdio } from "@plugboard/testkit/start-server";
import { expect, it, onTestFinished } from "vitest";
import { sendRequest } from "../../gateway/test/helpers/raw-modern-client.ts";
import { testEnv } from "./helpers/running-host.ts";

it("the gateway lists the tools of an earlier run while their server has not started yet", async () => {
  const { env, remove } = await testEnv();
  const { command, args } = modernStdio();
  // If the file `slow` exists, the server hangs at its start.
  const script = 'if [ -f "$HOME/slow" ]; then exec sleep 600; fi; exec "$@"';
  const servers = { s: { command: "sh", args: ["-c", script, "sh", command, ...args], env: { HOME: "${HOME}" } } };
  await writeFile(env.PLUGBOARD_CONFIG_PATH, JSON.stringify({ mcp: { servers } }));
  const start = () => startDaemon({ port: 0, env, spec: { cwd: env.HOME } });
  const first = await start();
  await first.workspace.start();
  await first.stop();
  await writeFile(join(env.HOME, "slow"), "");
  const second = await start();
  onTestFinished(async () => {
    await second.stop();
    await remove();
  });
  void second.workspace.start();
  const gateway = { url: `${second.endpoint}/mcp`, token: await ownerToken(env) } as Parameters<typeof sendRequest>[0];
  const startedAt = performance.now();
  const { result } = await sendRequest(gateway, "tools/list");
  expect(performance.now() - startedAt).toBeLessThan(4000);
  expect((result!["tools"] as { name: string }[]).map(({ name }) => name)).toContain("s__echo");
  const { result: discovered } = await sendRequest(gateway, "server/discover");
  expect(discovered!["instructions"]).toContain("Good for trying out");
  expect(await second.workspace.status()).toMatchObject([{ state: "connecting" }]);
});
