import { startEverythingHttp, startScriptedHttp } from "@plugboard/testkit/start-server";
import { expect, it } from "vitest";

it("startEverythingHttp starts the everything server and ends it", async () => {
  const server = await startEverythingHttp();
  const knock = () => fetch(server.url);
  expect((await knock()).status).toBe(400);
  expect(server.stderr()).toContain("listening on port");
  await server.close();
  await expect(knock()).rejects.toThrow("fetch failed");
});

it("startEverythingHttp fails a wait for output, and shows the output so far, when the server exits", async () => {
  const server = await startEverythingHttp();
  const wait = expect(server.waitForStderr("never written", 10_000)).rejects.toThrow(
    /closed stderr before never written appeared[^]*listening on port/,
  );
  await server.close();
  await wait;
});

it("startScriptedHttp answers as scripted and records its requests", async () => {
  const server = await startScriptedHttp((request, response) => {
    response.writeHead(418).end(request.body.toUpperCase());
  });
  const response = await fetch(server.url, { method: "POST", body: "tea", headers: { "x-test": "1" } });
  expect([response.status, await response.text()]).toEqual([418, "TEA"]);
  expect(server.requests).toMatchObject([{ method: "POST", path: "/mcp", body: "tea", headers: { "x-test": "1" } }]);
  await server.close();
});

it("startScriptedHttp closes although a request was never answered", async () => {
  const server = await startScriptedHttp(() => {});
  const request = expect(fetch(server.url)).rejects.toThrow("fetch failed");
  await expect.poll(() => server.requests.length).toBe(1);
  await server.close();
  await request;
});
