/** Tests login requests through a proxy from the environment. The proxy is on this machine and resolves the names. */
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitForClose } from "../../helpers/wait-for-close.ts";
import { scriptedGuardedFetch } from "../../helpers/scripted-guarded-fetch.ts";

/** Answers in place of the requested host, or rejects the tunnel. */
async function startProxy() {
  const requested: string[] = [];
  const server = createServer(({ method, url, headers }, response) => {
    requested.push(`${method} ${url} ${headers.host} ${headers["proxy-authorization"] ?? ""}`.trim());
    response.end("by way of the proxy");
  });
  server.on("connect", ({ method, url }: { method: string; url: string }, client: Socket) => {
    requested.push(`${method} ${url}`);
    client.end("HTTP/1.1 403 No\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxy = `http://ann:s3cret@${host}`;
  return { requested, env: { http_proxy: proxy, https_proxy: proxy } };
}

describe("A login through a proxy", () => {
  it("sends https requests through a tunnel, without a DNS lookup", async () => {
    const { requested, env } = await startProxy();
    const { read, connects, lookups } = await scriptedGuardedFetch({ options: { env } });
    const error = await read("https://as.example/x?key=s3cret").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "LOGIN_FAILED" });
    expect((error as Error).message).not.toContain("s3cret");
    expect({ requested, connects, lookups }).toEqual({
      requested: ["CONNECT as.example:443"],
      connects: [],
      lookups: [],
    });
  });

  it("sends http requests to the MCP server to the proxy, which forwards them", async () => {
    const { requested, env } = await startProxy();
    const { read, connects } = await scriptedGuardedFetch({ url: "http://mcp.corp/mcp", options: { env } });
    expect(await (await read("http://mcp.corp/x?y=1")).text()).toBe("by way of the proxy");
    const login = `Basic ${Buffer.from("ann:s3cret").toString("base64")}`;
    expect({ requested, connects }).toEqual({
      requested: [`GET http://mcp.corp/x?y=1 mcp.corp ${login}`],
      connects: [],
    });
  });

  it.each(["https://10.0.0.5/", "https://169.254.169.254/", "https://[::ffff:7f00:1]/", "http://as.example/"])(
    "still rejects the URL %s",
    { meta: { covers: ["S10", "S14"] } },
    async (url) => {
      const { requested, env } = await startProxy();
      const { read } = await scriptedGuardedFetch({ options: { env } });
      await expect(read(url)).rejects.toMatchObject({ code: "LOGIN_UNSAFE" });
      expect(requested).toEqual([]);
    },
  );

  it.each(["http://localhost:4000/", "http://localhost.:4000/", "http://127.0.0.1:4000/", "https://[::1]:4000/"])(
    "connects directly to %s, which is on this machine",
    async (url) => {
      const { requested, env } = await startProxy();
      const { read, connects } = await scriptedGuardedFetch({ url: "http://localhost:3000/mcp", options: { env } });
      await read(url);
      expect({ requested, connects: connects.length }).toEqual({ requested: [], connects: 1 });
    },
  );

  it("sends nothing after it was cancelled", async () => {
    const silent = createTcpServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    onTestFinished(() => void silent.close());
    const env = { http_proxy: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` };
    const { read } = await scriptedGuardedFetch({ url: "http://mcp.corp/mcp", options: { env } });
    const cancellation = new AbortController();
    const accepted = once(silent, "connection");
    const reading = expect(read("http://mcp.corp/x", { signal: cancellation.signal })).rejects.toMatchObject({
      code: "CANCELLED",
    });
    const [socket] = (await accepted) as [Socket];
    const closed = waitForClose(socket.resume());
    cancellation.abort();
    await reading;
    await closed;
  });

  it.each(["http://", "ftp://proxy.example"])("fails with the invalid proxy URL %s", async (https_proxy) => {
    const { read, connects } = await scriptedGuardedFetch({ options: { env: { https_proxy } } });
    await expect(read("https://as.example/")).rejects.toMatchObject({
      code: "LOGIN_FAILED",
      message: expect.stringContaining("proxy"),
    });
    expect(connects).toEqual([]);
  });
});
