/** Tests which addresses a login connects to. */
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { scriptedGuardedFetch, PUBLIC_ADDRESS } from "../../helpers/scripted-guarded-fetch.ts";

const UNSAFE = { code: "LOGIN_UNSAFE", details: { server: "tested" } };

/** Addresses of this machine, of private networks and of cloud metadata services. */
const INNER = [
  "169.254.169.254",
  "[::ffff:127.0.0.1]",
  "0x7f000001",
  "2130706433",
  "0177.0.0.1",
  "127.1",
  "127.0.0.1.",
  "0.0.0.0",
  "[::]",
  "[::1]",
  "localhost",
  "localhost.",
  "a.localhost",
  "10.0.0.5",
  "172.16.0.1",
  "192.168.1.1",
  "100.64.0.1",
  "[fd00::1]",
  "[fe80::1]",
  "[64:ff9b::a9fe:a9fe]",
  "[2002:7f00:1::]",
  "[::127.0.0.1]",
  "224.0.0.1",
];

const OUTER_AND_INNER: [string, string | string[]][] = [
  ["a private address", "10.0.0.5"],
  ["this machine", "127.0.0.1"],
  ["this machine in IPv6", "::1"],
  ["the address that has a cloud's secrets", "169.254.169.254"],
  ["a neighbour", "fe80::1%eth0"],
  ["nobody", "0.0.0.0"],
  ["a wrapped address", "::ffff:10.0.0.5"],
  ["a public address and a private one", [PUBLIC_ADDRESS, "10.0.0.5"]],
];

const redirect = (location: string) => (_: unknown, response: ServerResponse) =>
  void response.writeHead(302, { location }).end();

describe("For a public MCP server, a login", { meta: { covers: ["S14"] } }, () => {
  it.each(INNER)("rejects https://%s without a connection", async (host) => {
    const { read, connects } = await scriptedGuardedFetch();
    await expect(read(`https://${host}/.well-known/x`)).rejects.toMatchObject(UNSAFE);
    expect(connects).toEqual([]);
  });

  it.each(INNER)("rejects http://%s without a connection", async (host) => {
    const { read, connects } = await scriptedGuardedFetch();
    await expect(read(`http://${host}/.well-known/x`)).rejects.toMatchObject(UNSAFE);
    expect(connects).toEqual([]);
  });

  it.each(INNER)("rejects a redirect to https://%s without a second connection", async (host) => {
    const { read, connects, server } = await scriptedGuardedFetch({ handler: redirect(`https://${host}/x`) });
    await expect(read("https://as.example/.well-known/x")).rejects.toMatchObject(UNSAFE);
    expect(connects).toEqual([`${PUBLIC_ADDRESS} 443`]);
    expect(server.requests).toHaveLength(1);
  });

  it("rejects a redirect to a private address after other redirects", async () => {
    const { read, connects } = await scriptedGuardedFetch({
      handler: ({ path }, response) =>
        redirect(path === "/1" ? "https://other.example/2" : "https://169.254.169.254/3")(path, response),
    });
    await expect(read("https://as.example/1")).rejects.toMatchObject(UNSAFE);
    expect(connects).toEqual([`${PUBLIC_ADDRESS} 443`, `${PUBLIC_ADDRESS} 443`]);
  });

  it.each(OUTER_AND_INNER)("rejects a name that resolves to %s without a connection", async (_, address) => {
    const { read, connects } = await scriptedGuardedFetch({ names: { "as.example": address } });
    await expect(read("https://as.example/.well-known/x")).rejects.toMatchObject(UNSAFE);
    expect(connects).toEqual([]);
  });

  it.each(OUTER_AND_INNER)("rejects a redirect to a name that resolves to %s", async (_, address) => {
    const { read, connects } = await scriptedGuardedFetch({
      names: { "inner.example": address },
      handler: redirect("https://inner.example/"),
    });
    await expect(read("https://as.example/")).rejects.toMatchObject(UNSAFE);
    expect(connects).toEqual([`${PUBLIC_ADDRESS} 443`]);
  });

  it("connects to the checked addresses even if a name resolves differently each time", async () => {
    const answers = [PUBLIC_ADDRESS, "127.0.0.1", "10.0.0.5"];
    const { read, connects } = await scriptedGuardedFetch({
      options: { resolve: async () => [{ address: answers.shift() ?? "127.0.0.1", family: 4 }] },
    });
    await read("https://as.example/");
    expect(connects).toEqual([`${PUBLIC_ADDRESS} 443`]);
    expect(answers).toHaveLength(2);
  });

  it("connects to other public hosts", async () => {
    const { read, connects } = await scriptedGuardedFetch({ names: { "as.example": ["1.1.1.1", "2606:4700::1111"] } });
    expect((await read("https://as.example:8443/.well-known/x?y=1")).status).toBe(200);
    expect(connects).toEqual(["1.1.1.1 2606:4700::1111 8443"]);
  });
});

describe("A login", { meta: { covers: ["S14"] } }, () => {
  it.each([
    "http://127.0.0.1:3000/mcp",
    "http://localhost:3000/mcp",
    "http://[::1]:3000/mcp",
    "http://a.localhost/mcp",
  ])("connects to this machine but not to its network if the MCP server is %s", async (url) => {
    const { read, connects, lookups } = await scriptedGuardedFetch({ url });
    await read("http://localhost:4000/x");
    await read("http://127.0.0.2:4000/x");
    await read("https://[::1]:4000/x");
    expect(connects).toEqual(["127.0.0.1 ::1 4000", "127.0.0.2 4000", "::1 4000"]);
    await expect(read("https://10.0.0.5/x")).rejects.toMatchObject(UNSAFE);
    await expect(read("https://169.254.169.254/x")).rejects.toMatchObject(UNSAFE);
    await expect(read("http://10.0.0.5/x")).rejects.toMatchObject(UNSAFE);
    expect(connects).toHaveLength(3);
    expect(lookups).toEqual([]);
  });

  it.each([
    ["address", "https://10.0.0.9/mcp"],
    ["name", "https://mcp.corp/mcp"],
  ])(
    "connects to the private network, but not to loopback or metadata services, if the MCP server has a private %s",
    async (_, url) => {
      const names = { "mcp.corp": ["10.0.0.9", "fd00::9"], "sso.corp": "192.168.7.7", "sly.corp": "127.0.0.1" };
      const { read, connects } = await scriptedGuardedFetch({ url, names });
      await read("https://10.0.0.5/x");
      await read("https://sso.corp/x");
      expect(connects).toEqual(["10.0.0.5 443", "192.168.7.7 443"]);
      for (const refused of [
        "https://127.0.0.1/x",
        "https://sly.corp/x",
        "https://169.254.169.254/x",
        "https://[fd00:ec2::254]/x",
      ]) {
        await expect(read(refused)).rejects.toMatchObject(UNSAFE);
      }
      expect(connects).toHaveLength(2);
    },
  );

  it("connects to link-local addresses if the MCP server has one", async () => {
    const { read, connects } = await scriptedGuardedFetch({ url: "https://169.254.1.1/mcp" });
    await read("https://169.254.1.2/x");
    expect(connects).toEqual(["169.254.1.2 443"]);
    await expect(read("https://10.0.0.5/x")).rejects.toMatchObject(UNSAFE);
  });

  it("connects to no reserved address, even if the MCP server has one", async () => {
    const { read, connects } = await scriptedGuardedFetch({ url: "http://0.0.0.0:3000/mcp" });
    await expect(read("https://0.0.0.0:4000/x")).rejects.toMatchObject(UNSAFE);
    await expect(read("https://224.0.0.1/x")).rejects.toMatchObject(UNSAFE);
    expect(connects).toEqual([]);
  });

  it("connects to no private address if only some addresses of the MCP server are private", async () => {
    const { read, connects } = await scriptedGuardedFetch({ names: { "mcp.example": [PUBLIC_ADDRESS, "10.0.0.9"] } });
    await expect(read("https://10.0.0.5/x")).rejects.toMatchObject(UNSAFE);
    expect(connects).toEqual([]);
  });

  it("connects to no private address if the name of the MCP server can't be resolved", async () => {
    const resolve = () => Promise.reject(new Error("ENOTFOUND"));
    const { read, connects } = await scriptedGuardedFetch({ options: { resolve } });
    await expect(read("https://10.0.0.5/x")).rejects.toMatchObject(UNSAFE);
    expect(connects).toEqual([]);
  });

  it("does not connect to this machine if only the name of the MCP server resolves to it", async () => {
    const { read, connects } = await scriptedGuardedFetch({ names: { "mcp.example": "127.0.0.1" } });
    await expect(read("http://127.0.0.1:4000/x")).rejects.toMatchObject(UNSAFE);
    await expect(read("http://localhost:4000/x")).rejects.toMatchObject(UNSAFE);
    expect(connects).toEqual([]);
  });

  it.each([
    ["http://10.0.0.9:3000", "10.0.0.9 3000"],
    ["http://mcp.corp:3000", "10.0.0.9 3000"],
    ["http://0.0.0.0:3000", "0.0.0.0 3000"],
    ["https://local.test", "127.0.0.1 443"],
  ])("connects to the MCP server's own origin %s in any network", async (origin, connect) => {
    const names = { "mcp.corp": "10.0.0.9", "local.test": "127.0.0.1" };
    const { read, connects } = await scriptedGuardedFetch({ url: `${origin}/mcp`, names });
    await read(`${origin}/.well-known/oauth-protected-resource/mcp`);
    expect(connects).toEqual([connect]);
  });
});

describe("A login without https", { meta: { covers: ["S10"] } }, () => {
  it.each([
    "http://10.0.0.5/token",
    "http://as.example/token",
    "http://localhost.example/token",
    "ftp://as.example/token",
  ])("rejects the URL %s, even if the MCP server is in a private network", async (url) => {
    const { read, connects, lookups } = await scriptedGuardedFetch({ url: "http://10.0.0.9/mcp" });
    await expect(read(url)).rejects.toMatchObject(UNSAFE);
    await expect(read(url, { method: "POST", body: "code=1" })).rejects.toMatchObject(UNSAFE);
    expect({ connects, lookups }).toEqual({ connects: [], lookups: [] });
  });

  it("rejects a redirect from https to http", async () => {
    const { read, connects } = await scriptedGuardedFetch({ handler: redirect("http://as.example/x") });
    await expect(read("https://as.example/x")).rejects.toMatchObject(UNSAFE);
    expect(connects).toHaveLength(1);
  });
});

describe("A URL from the user's config", () => {
  const configured = ["https://sso.corp/token", "http://localhost:4000/token", "http://10.0.0.5/token"];
  const options = { configured };

  it("may be in a private network", async () => {
    const { read, connects } = await scriptedGuardedFetch({ options, names: { "sso.corp": "10.0.0.7" } });
    await read("https://sso.corp/token");
    await read("http://localhost:4000/other");
    expect(connects).toEqual(["10.0.0.7 443", "127.0.0.1 ::1 4000"]);
  });

  it("must use https outside of this machine", { meta: { covers: ["S10"] } }, async () => {
    const { read, connects } = await scriptedGuardedFetch({ options });
    await expect(read("http://10.0.0.5/token")).rejects.toMatchObject(UNSAFE);
    expect(connects).toEqual([]);
  });

  it("does not allow other hosts in the same network", { meta: { covers: ["S14"] } }, async () => {
    const { read, connects } = await scriptedGuardedFetch({ options });
    for (const url of ["https://10.0.0.7/x", "http://localhost:4001/x"]) {
      await expect(read(url)).rejects.toMatchObject(UNSAFE);
    }
    expect(connects).toEqual([]);
  });
});

it("AddressGuard rejects a URL with credentials and does not quote them", { meta: { covers: ["S14"] } }, async () => {
  const { read, connects } = await scriptedGuardedFetch();
  const error = await read("https://ann:s3cret@as.example/x?t=s3cret#s3cret").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject(UNSAFE);
  expect((error as Error).message).toMatch(/https:\/\/as\.example\/x.*credentials/);
  expect(JSON.stringify(error)).not.toContain("s3cret");
  expect(connects).toEqual([]);
});
