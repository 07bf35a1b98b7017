import { startEverythingHttp, startScriptedHttp } from "@plugboard/testkit/start-server";
import { expect, it } from "vitest";

it("starts the everything server, ready for connections, and ends it", async () => {
  const server = await startEverythingHttp();
  const knock = () => fetch(server.url);
  expect((await knock()).status).toBe(400);
  expect(server.stderr()).toContain("listening on port");
  await server.close();
  await expect(knock()).rejects.toThrow("fetch failed");
});

it("fails a wait at once, with the output, when the server is gone", async () => {
  const server = await startEverythingHttp();
  const wait = expect(server.waitForStderr("never written", 10_000)).rejects.toThrow(
    /closed stderr before never written appeared[^]*listening on port/,
  );
  await server.close();
  await wait;
});

it("answers by hand and keeps the requests", async () => {
  const server = await startScriptedHttp((request, response) => {
    response.writeHead(418).end(request.body.toUpperCase());
  });
  const response = await fetch(server.url, { method: "POST", body: "tea", headers: { "x-test": "1" } });
  expect([response.status, await response.text()]).toEqual([418, "TEA"]);
  expect(server.requests).toMatchObject([{ method: "POST", path: "/mcp", body: "tea", headers: { "x-test": "1" } }]);
  await server.close();
});

it("closes although a request was never answered", async () => {
  const server = await startScriptedHttp(() => {});
  const request = expect(fetch(server.url)).rejects.toThrow("fetch failed");
  await expect.poll(() => server.requests.length).toBe(1);
  await server.close();
  await request;
});
