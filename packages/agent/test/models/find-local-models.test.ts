/** Tests that model servers on this machine are found, and that no other machine is asked. */
import { createServer } from "node:net";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { findLocalModels } from "@plugboard/agent";
import { freePort } from "@plugboard/testkit/free-port";
import { startScriptedHttp } from "@plugboard/testkit/scripted-http";
import { expect, it, onTestFinished } from "vitest";
import { scriptedServer } from "../helpers/scripted-turn.ts";

it("lists the models of the servers that answer", async () => {
  const server = await scriptedServer();
  const closed = `http://127.0.0.1:${await freePort()}/v1`;
  const found = await findLocalModels({ timeoutMs: 5000, urls: { ollama: server.url, vllm: closed } });
  expect(found).toEqual([{ provider: "ollama", baseUrl: server.url, models: ["ollama/scripted"] }]);
});

it("ignores a program on the port that is not a model server", async () => {
  const http = await startScriptedHttp((_request, response) => void response.end("<html>Hello</html>"));
  onTestFinished(() => http.close());
  expect(await findLocalModels({ timeoutMs: 5000, urls: { vllm: new URL("/v1", http.url).href } })).toEqual([]);
});

it("gives up on a server that accepts the connection and does not answer", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close());
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  expect(await findLocalModels({ timeoutMs: 50, urls: { ollama: `http://127.0.0.1:${port}/v1` } })).toEqual([]);
});

it("asks only loopback addresses, by default those of Ollama, LM Studio and vLLM", async () => {
  const asked: string[] = [];
  const fetch = async (url: unknown) => {
    asked.push(String(url));
    return new Response("{}");
  };
  await findLocalModels({ fetch });
  expect(asked).toEqual([11434, 1234, 8000].map((port) => `http://127.0.0.1:${port}/v1/models`));
  asked.length = 0;
  await findLocalModels({ fetch, urls: { a: "http://10.0.0.1/v1", b: "http://127.0.0.1.evil.example/v1" } });
  expect(asked).toEqual([]);
});
