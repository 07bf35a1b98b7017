/** Sets up `plugboard run` with a scripted model server on loopback. */
import { startModelServer } from "@plugboard/testkit/model-server";
import type { ModelServer, ScriptedAnswer } from "@plugboard/testkit/model-server";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { onTestFinished } from "vitest";
import { setUp } from "./run-plugboard.ts";
import type { Setup } from "./run-plugboard.ts";

export interface RunSetup extends Setup {
  readonly model: ModelServer;
}

/** The server `s` of the config is the scripted legacy server. */
export async function setUpRun(
  script: readonly ScriptedAnswer[],
  config: object = { mcpServers: { s: scriptedLegacy() } },
): Promise<RunSetup> {
  const model = await startModelServer(...script);
  onTestFinished(() => model.close());
  const { cwd, env } = await setUp(config);
  return { cwd, model, env: { ...env, ...modelEnv(model.url) } };
}

export function modelEnv(url: string) {
  return { PLUGBOARD_MODEL: "anthropic/scripted", ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: url };
}

export const echo = (text: string) => ({ call: "mcp__s__echo", args: { text } });

export const done = { parts: [{ text: "Done." }] };
