/** Tests redirects: they are followed within the server's own origin only. */
import { describe, expect, it } from "vitest";
import type { ServerResponse } from "node:http";
import {
  sseEvent,
  eventually,
  logNotification,
  openHttp,
  request,
  result,
  startTestHttp,
  messageTexts,
} from "../../helpers/open-http.ts";

const CANARY = { authorization: "Bearer canary", "x-api-key": "canary" };

const answer = (response: ServerResponse, body: string) => {
  const { id } = JSON.parse(body) as { id: number };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result(id)));
};

describe("A redirect within the origin", () => {
  it.each([307, 308])("is followed with the same method, body and headers for status %i", async (status) => {
    const server = await startTestHttp(({ path, body }, response) => {
      if (path === "/mcp") response.writeHead(status, { location: "/mcp/?x=1" }).end();
      else answer(response, body);
    });
    const { transport, ...received } = openHttp(server.url, { headers: CANARY });
    await transport.send(request(1));
    expect(messageTexts(received)).toEqual(["done"]);
    const [first, second] = server.requests;
    expect(second).toMatchObject({ method: "POST", path: "/mcp/?x=1", body: first?.body, headers: CANARY });
  });

  it.each([301, 302, 303])(
    "is rejected for a POST with status %i, because it may change the method",
    async (status) => {
      const server = await startTestHttp(
        (_, response) => void response.writeHead(status, { location: "/elsewhere" }).end(),
      );
      const { transport, lost } = openHttp(server.url);
      await transport.send(request(1));
      expect(lost.get(1)).toMatchObject({ code: "UNEXPECTED_RESPONSE", details: { status } });
      expect(lost.get(1)?.message).toContain(new URL("/elsewhere", server.url).href);
      expect(server.requests).toHaveLength(1);
    },
  );

  it("is followed at most five times", async () => {
    const server = await startTestHttp((_, response) => void response.writeHead(307, { location: "/again" }).end());
    const { transport, lost } = openHttp(server.url);
    await transport.send(request(1));
    expect(lost.get(1)).toMatchObject({ code: "UNEXPECTED_RESPONSE", details: { status: 307 } });
    expect(server.requests).toHaveLength(6);
  });

  it("is followed for a GET, whatever its status", async () => {
    const server = await startTestHttp(({ path }, response) => {
      if (path === "/mcp") return void response.writeHead(302, { location: "/push" }).end();
      response.writeHead(200, { "content-type": "text/event-stream" }).write(sseEvent(logNotification("news")));
    });
    const { transport, ...received } = openHttp(server.url);
    transport.openPushStream({});
    await eventually(() => expect(messageTexts(received)).toEqual(["news"]));
  });
});

describe("A redirect to another origin", { meta: { covers: ["A13", "S8"] } }, () => {
  it.each([301, 302, 303, 307, 308])(
    "is rejected with status %i, and nothing is sent to that origin",
    async (status) => {
      const otherSite = await startTestHttp(({ body }, response) => answer(response, body));
      const server = await startTestHttp(
        (_, response) => void response.writeHead(status, { location: otherSite.url }).end(),
      );
      const { transport, lost } = openHttp(server.url, { headers: CANARY });
      await transport.send(request(1));
      transport.openPushStream(CANARY);
      await eventually(() => expect(server.requests).toHaveLength(2));
      await expect(transport.send({ jsonrpc: "2.0", method: "notifications/x" })).rejects.toMatchObject({
        code: "UNEXPECTED_RESPONSE",
      });
      expect(lost.get(1)?.message).toContain(otherSite.url);
      await transport.close();
      expect(otherSite.requests).toEqual([]);
    },
  );

  it.each<[string, (url: URL) => string]>([
    ["the scheme", (url) => `https://${url.host}/mcp`],
    ["the port", (url) => `http://${url.hostname}:9/mcp`],
    ["the name of the host", (url) => `http://localhost:${url.port}/mcp`],
    ["the host, as a URL without a scheme", () => "//127.0.0.2:9/mcp"],
    ["its form, because the URL is invalid", () => "http://"],
  ])("is rejected even if the origin differs only in %s", async (_, otherServer) => {
    const server = await startTestHttp(
      (__, response) => void response.writeHead(307, { location: otherServer(new URL(server.url)) }).end(),
    );
    const { transport, lost } = openHttp(server.url, { headers: CANARY });
    await transport.send(request(1));
    expect(lost.get(1)).toMatchObject({ code: "UNEXPECTED_RESPONSE", details: { status: 307 } });
    expect(server.requests).toHaveLength(1);
  });

  it("is reported without the query of its URL", async () => {
    const location = "https://user:secret@other.test/mcp?token=secret#secret";
    const server = await startTestHttp((_, response) => void response.writeHead(307, { location }).end());
    const { transport, lost } = openHttp(server.url);
    await transport.send(request(1));
    expect(lost.get(1)?.message).toContain("https://other.test/mcp");
    expect(lost.get(1)?.message).not.toContain("secret");
  });
});
