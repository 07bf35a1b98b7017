/** Tests login requests to real servers on this machine. */
import { startFixture } from "@plugboard/testkit/fixture-process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer as createSecure } from "node:https";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { HostError } from "@plugboard/contracts";
import { createGuardedFetch } from "@plugboard/mcp/oauth";
import type { GuardedFetchOptions } from "@plugboard/mcp/oauth";
import { freePort } from "@plugboard/testkit/free-port";
import * as oauth from "oauth4webapi";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitForClose } from "../../helpers/wait-for-close.ts";
import { READ_REQUEST } from "../../helpers/scripted-guarded-fetch.ts";
import { ManualClock } from "../../../../contracts/test/helpers/manual-clock.ts";
import { eventually, startTestHttp } from "../../helpers/open-http.ts";

const MIB = 1024 * 1024;
const OWN = "http://127.0.0.1:9/mcp";
const FAILED = "LOGIN_FAILED";

function make(options: Partial<GuardedFetchOptions> = {}) {
  return createGuardedFetch({ server: "tested", url: OWN, env: {}, ...options });
}

/** Returns the error that the promise rejects with. */
async function failure(failing: Promise<unknown>): Promise<HostError> {
  const thrown = await failing.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(HostError);
  return thrown as HostError;
}

describe("A guarded request", () => {
  it("is sent unchanged and returns a standard `Response`", async () => {
    const server = await startTestHttp((_, response) => {
      const headers = { "content-type": "application/json", "www-authenticate": "DPoP", "x-odd": "é" };
      response.writeHead(201, { ...headers, "set-cookie": "a=1" }).end('{"a":"ü"}');
    });
    const body = new URLSearchParams({ code: "a b", x: "&" });
    const headers = { "content-type": "application/x-www-form-urlencoded", Authorization: "Basic eA==" };
    const answer = await make()(`${server.url}?y=1#part`, { method: "POST", headers, body, redirect: "manual" });
    expect(answer).toBeInstanceOf(Response);
    expect(answer.status).toBe(201);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/json",
      "www-authenticate": "DPoP",
    });
    expect(answer.headers.has("set-cookie")).toBe(false);
    expect(await answer.json()).toEqual({ a: "ü" });
    expect(server.requests).toEqual([
      expect.objectContaining({ method: "POST", path: "/mcp?y=1", body: "code=a+b&x=%26" }),
    ]);
    expect(server.requests[0]?.headers).toMatchObject({ authorization: "Basic eA==", host: new URL(server.url).host });
    expect(server.requests[0]?.headers).not.toHaveProperty("accept-encoding");
  });

  it.each([204, 304, 404, 500])("may return status %i", async (status) => {
    const server = await startTestHttp((_, response) => void response.writeHead(status).end());
    const answer = await make()(server.url, READ_REQUEST);
    expect(answer.status).toBe(status);
    expect(await answer.text()).toBe("");
  });

  it("works with oauth4webapi", async () => {
    const server = await startTestHttp((_, response) => {
      const issuer = new URL(server.url).origin;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ issuer }));
    });
    const issuer = new URL(new URL(server.url).origin);
    const found = await oauth.discoveryRequest(issuer, {
      algorithm: "oauth2",
      [oauth.customFetch]: make(),
      [oauth.allowInsecureRequests]: true,
    });
    expect(await oauth.processDiscoveryResponse(issuer, found)).toMatchObject({ issuer: issuer.origin });
    expect(server.requests[0]?.path).toBe("/.well-known/oauth-authorization-server");
  });

  it("connects to the checked address and requires the certificate of the hostname", async () => {
    const folder = new URL("../../certificates/", import.meta.url);
    const certificate = (name: string) => readFileSync(new URL(`${name}.pem`, folder));
    const secure = createSecure({ key: certificate("key"), cert: certificate("self-signed") }, (incoming, response) => {
      response.end(`${incoming.headers.host} ${(incoming.socket as unknown as { servername: string }).servername}`);
    });
    secure.listen(0, "127.0.0.1");
    await once(secure, "listening");
    onTestFinished(() => void secure.close());
    const { port } = secure.address() as AddressInfo;
    const program = `
      import { createGuardedFetch } from ${JSON.stringify(import.meta.resolve("@plugboard/mcp/oauth"))};
      for (const name of ["mcp.test", "other.test"]) {
        const url = "https://" + name + ":${port}/mcp";
        const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
        const fetch = createGuardedFetch({ server: "x", url, resolve, env: {} });
        const init = ${JSON.stringify(READ_REQUEST)};
        console.log(await fetch(url, init).then((answer) => answer.text(), (error) => error.code + error.message));
      }
      console.log("over");
    `;
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: fileURLToPath(new URL("self-signed.pem", folder)) };
    const child = startFixture({ command: process.execPath, args: ["--input-type=module", "-e", program] }, env);
    onTestFinished(() => child.close());
    await child.stdout.waitFor("over\n", 15_000);
    const [reached, refused] = child.stdout.text.split("\n");
    expect(reached).toBe(`mcp.test:${port} mcp.test`);
    expect(refused).toMatch(/^LOGIN_FAILED.*ERR_TLS_CERT_ALTNAME_INVALID/);
  });
});

describe("A redirect of a guarded request", () => {
  it.each([301, 302, 303, 307, 308])("is followed for a GET with status %i", async (status) => {
    const server = await startTestHttp(({ path }, response) => {
      if (path === "/mcp") response.writeHead(status, { location: "/there?x=1" }).end("not this");
      else response.end("this");
    });
    expect(await (await make()(server.url, READ_REQUEST)).text()).toBe("this");
    expect(server.requests.map(({ path }) => path)).toEqual(["/mcp", "/there?x=1"]);
  });

  it.each([301, 302, 303, 307, 308])("is rejected for a POST with status %i", async (status) => {
    const server = await startTestHttp(
      (_, response) => void response.writeHead(status, { location: "/there?x=s3cret" }).end(),
    );
    const error = await failure(make()(server.url, { ...READ_REQUEST, method: "POST", body: "code=s3cret" }));
    expect(error.code).toBe("LOGIN_UNSAFE");
    expect(error.message).toContain("/there");
    expect(error.message).not.toContain("s3cret");
    expect(server.requests).toHaveLength(1);
  });

  it("is followed at most five times", async () => {
    let redirectsLeft = 5;
    const server = await startTestHttp((_, response) => {
      if (redirectsLeft-- > 0) response.writeHead(302, { location: "/mcp" }).end();
      else response.end("there");
    });
    const fetch = make();
    expect(await (await fetch(server.url, READ_REQUEST)).text()).toBe("there");
    redirectsLeft = 6;
    expect((await failure(fetch(server.url, READ_REQUEST))).code).toBe(FAILED);
    expect(server.requests).toHaveLength(12);
  });

  it("is followed to another origin with no header except `accept`", async () => {
    const otherServer = await startTestHttp((_, response) => void response.end("there"));
    const server = await startTestHttp(({ path }, response) => {
      response.writeHead(302, { location: path === "/mcp" ? "/again" : otherServer.url }).end();
    });
    const headers = { accept: "application/json", authorization: "Bearer s3cret", "x-key": "s3cret" };
    await make()(server.url, { ...READ_REQUEST, headers });
    expect(server.requests[1]?.headers).toMatchObject(headers);
    expect(otherServer.requests[0]?.headers).toMatchObject({ accept: "application/json" });
    expect(JSON.stringify(otherServer.requests)).not.toContain("s3cret");
  });

  it("is an error if its URL is invalid", async () => {
    const server = await startTestHttp((_, response) => void response.writeHead(302, { location: "http://" }).end());
    expect((await failure(make()(server.url, READ_REQUEST))).code).toBe(FAILED);
  });
});

describe("A guarded response", () => {
  it.each([
    ["without compression", (plain: Buffer) => plain, undefined],
    ["with gzip", gzipSync, "gzip"],
    ["with deflate", deflateSync, "deflate"],
    ["with brotli", brotliCompressSync, "br"],
  ])("is limited to 1 MiB of decompressed data (%s)", async (_, encode, name) => {
    const served = (size: number) =>
      startTestHttp((__, response) => {
        if (name !== undefined) response.setHeader("content-encoding", name);
        response.end(encode(Buffer.alloc(size, "x")));
      });
    const fits = await make()((await served(MIB)).url, READ_REQUEST);
    expect(fits.headers.has("content-encoding")).toBe(false);
    expect((await fits.arrayBuffer()).byteLength).toBe(MIB);
    const error = await failure(make()((await served(MIB + 1)).url, READ_REQUEST));
    expect(error).toMatchObject({ code: FAILED, message: expect.stringContaining("1048576") });
  });

  it("is not read beyond the limit", async () => {
    const server = await startTestHttp((_, response) => {
      const writeMore = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, "s3cret")));
        if (!response.destroyed) response.once("drain", writeMore);
      };
      writeMore();
    });
    const error = await failure(make()(server.url, READ_REQUEST));
    expect(error.code).toBe(FAILED);
    expect(JSON.stringify(error)).not.toContain("s3cret");
  });

  it("is an error if its compressed data is invalid", async () => {
    const server = await startTestHttp(
      (_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end("x"),
    );
    expect((await failure(make()(server.url, READ_REQUEST))).code).toBe(FAILED);
  });
});

describe("The ten-second timeout of a guarded request", () => {
  const stalls: [string, (response: ServerResponse) => void][] = [
    ["does not answer", () => {}],
    ["stops in the middle", (response) => void response.writeHead(200).write("x")],
  ];
  it.each(stalls)("ends a request to a server that %s, and the error does not quote the query", async (_, stall) => {
    const clock = new ManualClock();
    const closedPaths: string[] = [];
    const server = await startTestHttp((request, response) => {
      response.once("close", () => closedPaths.push(request.path));
      stall(response);
    });
    const failing = failure(make({ clock })(`${server.url}?key=s3cret`, READ_REQUEST));
    await eventually(() => expect(server.requests).toHaveLength(1));
    clock.advance(10_000);
    const error = await failing;
    expect(error).toMatchObject({ code: FAILED, message: expect.stringContaining("10000 ms") });
    expect(error.message).not.toContain("s3cret");
    await eventually(() => expect(closedPaths).toHaveLength(1));
    expect(clock.pendingTimers).toBe(0);
  });

  it("applies to all redirects together", async () => {
    const clock = new ManualClock();
    const server = await startTestHttp(({ path }, response) => {
      clock.advance(4000);
      if (path !== "/3") response.writeHead(302, { location: path === "/mcp" ? "/2" : "/3" }).end();
    });
    expect((await failure(make({ clock })(server.url, READ_REQUEST))).message).toContain("10000 ms");
    expect(server.requests).toHaveLength(3);
  });

  it("includes the DNS lookup", async () => {
    const clock = new ManualClock();
    let requested = () => {};
    const wasAsked = new Promise<void>((resolve) => (requested = resolve));
    const resolve = () => {
      requested();
      return new Promise<never>(() => {});
    };
    const failing = failure(make({ clock, resolve })("https://as.example/", READ_REQUEST));
    await wasAsked;
    clock.advance(10_000);
    expect((await failing).code).toBe(FAILED);
  });
});

describe("A cancelled guarded request", () => {
  const cancelled = { code: "CANCELLED" };

  it("sends nothing if it was cancelled before it starts", async () => {
    const server = await startTestHttp((_, response) => void response.end());
    expect(await failure(make()(server.url, { ...READ_REQUEST, signal: AbortSignal.abort() }))).toMatchObject(
      cancelled,
    );
    expect(server.requests).toEqual([]);
  });

  it("closes its connection if it was waiting for the response", async () => {
    const clock = new ManualClock();
    const cancellation = new AbortController();
    const closedPaths: string[] = [];
    const server = await startTestHttp(
      (request, response) => void response.once("close", () => closedPaths.push(request.path)),
    );
    const failing = failure(make({ clock })(server.url, { ...READ_REQUEST, signal: cancellation.signal }));
    await eventually(() => expect(server.requests).toHaveLength(1));
    cancellation.abort();
    expect(await failing).toMatchObject(cancelled);
    await eventually(() => expect(closedPaths).toEqual(["/mcp"]));
    expect(clock.pendingTimers).toBe(0);
  });

  it("closes the socket that is still connecting", async () => {
    const cancellation = new AbortController();
    // The server accepts the connection but never starts the TLS handshake.
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const accepted = once(silent, "connection");
    const failing = failure(make()(`https://127.0.0.1:${port}/`, { ...READ_REQUEST, signal: cancellation.signal }));
    const [socket] = (await accepted) as [Socket];
    const closed = waitForClose(socket.resume());
    cancellation.abort();
    expect(await failing).toMatchObject(cancelled);
    await closed;
  });
});

describe("A guarded request, without quoting its content,", () => {
  it("reports a refused connection", async () => {
    const error = await failure(make()(`http://127.0.0.1:${await freePort()}/x?key=s3cret`, READ_REQUEST));
    expect(error).toMatchObject({ code: FAILED, message: expect.stringContaining("ECONNREFUSED") });
    expect(error.message).toMatch(/127\.0\.0\.1:\d+\/x/);
    expect(error.message).not.toContain("s3cret");
  });

  it("reports a server without TLS", async () => {
    const server = await startTestHttp((_, response) => void response.end());
    const error = await failure(make()(`${server.url.replace("http", "https")}?key=s3cret`, READ_REQUEST));
    expect(error.code).toBe(FAILED);
    expect(error.message).not.toContain("s3cret");
    expect(server.requests).toEqual([]);
  });

  it("reports a server that disconnects", async () => {
    const server = await startTestHttp((_, response) => {
      response.writeHead(200, { "content-length": "100" }).write("s3cret", () => response.destroy());
    });
    const error = await failure(make()(server.url, READ_REQUEST));
    expect(error.code).toBe(FAILED);
    expect(JSON.stringify(error)).not.toContain("s3cret");
  });

  it("reports an invalid URL", async () => {
    const error = await failure(make()("//as.example/s3cret", READ_REQUEST));
    expect(error.code).toBe(FAILED);
    expect(JSON.stringify(error)).not.toContain("s3cret");
  });

  it("reports an unknown hostname", async () => {
    const resolve = () => Promise.reject(Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" }));
    const error = await failure(make({ resolve })("https://as.example/x", READ_REQUEST));
    expect(error).toMatchObject({ code: FAILED, message: expect.stringContaining("ENOTFOUND") });
  });
});

it("createGuardedFetch closes the connection after each request", async () => {
  const answer = (status: string) => `HTTP/1.1 ${status}\r\ncontent-length: 1\r\nkeep-alive: timeout=600\r\n\r\nx`;
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const ends: Promise<void>[] = [];
  server.on("connection", (socket) => {
    ends.push(waitForClose(socket));
    socket.on("data", (sent) => {
      socket.write(String(sent).includes("/moved") ? answer("302 Found\r\nlocation: /") : answer("200 OK"));
    });
  });
  const { port } = server.address() as AddressInfo;
  expect((await make()(`http://127.0.0.1:${port}/moved`, READ_REQUEST)).status).toBe(200);
  expect(ends).toHaveLength(2);
  await Promise.all(ends);
});
