/** Tests the facts about the config for a diagnosis. They contain no value of a secret. */
import { expect, it } from "vitest";
import { operationsInProcess } from "../../helpers/operations-in-process.ts";

const CANARY = "canary-9c1f7a20e4b6";

it("configFacts describes files, servers and secrets without values", { meta: { covers: ["A12"] } }, async () => {
  const { operations, files, write } = await operationsInProcess();
  const env = { API_KEY: CANARY, OTHER: { $secret: "github" } };
  await write("user", { mcpServers: { s: { command: "run", args: ["--token", CANARY, "-y", "pkg"], env } } });
  await write("shared", { mcpServers: { p: { command: "x" } } });
  const facts = await operations.configFacts();
  expect(facts).toMatchObject({
    files: [
      { file: files.user, source: "user", defines: ["s"] },
      { file: files.shared, source: "project", defines: ["p"] },
    ],
    servers: [{ id: "s", program: { command: "run", args: ["--token", "***", "-y", "pkg"] } }],
    untrusted: ["p"],
    secrets: { secrets: [{ name: "github", state: "missing" }] },
  });
  expect(JSON.stringify(facts)).not.toContain(CANARY);
});

it("configFacts reports all invalid files, and lists no secrets in that case", async () => {
  const { operations, files, write } = await operationsInProcess();
  await write("user", "{");
  const { problems, servers, secrets } = await operations.configFacts();
  expect(problems).toMatchObject([{ severity: "error", file: files.user }]);
  expect([servers, secrets]).toEqual([[], undefined]);
  await expect(operations.configProblems()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});

it("redactSecrets masks the secrets of all definitions in keys and texts", { meta: { covers: ["A12"] } }, async () => {
  const { operations, write } = await operationsInProcess({ SET: CANARY });
  await write("user", { mcpServers: { s: { command: "x", env: { TOKEN: "${SET}" } } } });
  const value = { [`a ${CANARY}`]: [`b ${CANARY} c`, 7, null, { d: CANARY }] };
  expect(await operations.redactSecrets(value)).toEqual({ "a ***": ["b *** c", 7, null, { d: "***" }] });
});
