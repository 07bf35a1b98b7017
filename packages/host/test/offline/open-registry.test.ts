import { openRegistry } from "#offline/open-registry.js";
import { startRegistryServer } from "@plugboard/testkit/registry/registry-server";
import type { RegistryServerOptions } from "@plugboard/testkit/registry/registry-server";
import { FILESYSTEM, registryEntry } from "@plugboard/testkit/registry/sample-servers";
import { afterEach, describe, expect, it } from "vitest";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((registry) => registry.close()));
});

async function startRegistry(options: RegistryServerOptions = {}) {
  const registry = await startRegistryServer(options);
  opened.push(registry);
  return { registry, client: await openRegistry({ env: {} }, registry.url) };
}

const namesOf = (servers: readonly { readonly name: string }[]) => servers.map(({ name }) => name);

describe("RegistryClient.search", () => {
  it("asks for the latest version of each server whose name contains the word", async () => {
    const { registry, client } = await startRegistry();
    const { servers, hasMore, invalidCount } = await client.search(["weather"]);
    expect(namesOf(servers)).toEqual(["io.github.example/weather-mcp", "io.github.example/old-weather"]);
    expect({ hasMore, invalidCount }).toEqual({ hasMore: false, invalidCount: 0 });
    expect(registry.requests[0]!.path).toBe("/v0.1/servers?search=weather&version=latest&limit=50");
  });

  it("finds servers that contain every word in their name, title or description", async () => {
    const { registry, client } = await startRegistry();
    const { servers } = await client.search(["data", "weather", "FORECASTS"]);
    expect(namesOf(servers)).toEqual([]);
    expect(registry.requests[0]!.path).toContain("search=FORECASTS");
    expect(namesOf((await client.search(["old", "weather"])).servers)).toEqual(["io.github.example/old-weather"]);
  });

  it("returns the status of a deprecated server and its message", async () => {
    const { client } = await startRegistry();
    const { servers } = await client.search(["old-weather"]);
    expect(servers[0]).toMatchObject({
      status: "deprecated",
      statusMessage: "Use io.github.example/weather-mcp",
      version: "0.9.5",
    });
  });

  it("reads page after page until it has found enough servers", async () => {
    const servers = Array.from({ length: 9 }, (_, index) => registryEntry({ name: `com.example/many-${index}` }));
    const { registry, client } = await startRegistry({ servers, pageSize: 2 });
    const found = await client.search(["many"], { limit: 5 });
    expect(namesOf(found.servers)).toEqual(servers.slice(0, 5).map(({ server }) => server.name));
    expect(found.hasMore).toBe(true);
    expect(registry.requests).toHaveLength(3);
    expect((await client.search(["many"], { limit: 9 })).hasMore).toBe(false);
  });

  it("stops after ten pages", async () => {
    const servers = Array.from({ length: 30 }, (_, index) => registryEntry({ name: `com.example/many-${index}` }));
    const { registry, client } = await startRegistry({ servers, pageSize: 1 });
    expect(await client.search(["many", "7"], { limit: 5 })).toMatchObject({ hasMore: true });
    expect(registry.requests).toHaveLength(10);
  });

  it("leaves out servers with invalid fields and counts them", async () => {
    const invalid = [
      registryEntry({ name: "--help" }),
      registryEntry({ name: "com.example/no-version", version: 3 }),
      registryEntry({ name: "com.example/strange" }, { status: "sleeping" }),
      registryEntry({ name: "com.example/long", description: "x".repeat(9000) }),
    ];
    const { client } = await startRegistry({ servers: [...invalid, FILESYSTEM] });
    const { servers, invalidCount } = await client.search([]);
    expect(namesOf(servers)).toEqual([FILESYSTEM.server.name]);
    expect(invalidCount).toBe(4);
  });

  it("keeps a server if only one of its packages is invalid", async () => {
    const broken = registryEntry({ name: "com.example/broken", packages: [{ registryType: "npm" }, 7] });
    const { client } = await startRegistry({ servers: [broken] });
    const [server] = (await client.search([])).servers;
    expect(server!.packages).toEqual([
      { invalid: expect.stringContaining("transport is not an object") },
      { invalid: expect.stringContaining("is not an object") },
    ]);
  });
});

describe("RegistryClient.get", () => {
  it("fetches the latest or a named version of a server", async () => {
    const { registry, client } = await startRegistry();
    expect(await client.get("io.github.example/filesystem")).toMatchObject({ title: "Filesystem", version: "1.0.2" });
    expect(await client.get("io.github.example/filesystem", "1.0.2")).toMatchObject({ version: "1.0.2" });
    expect(registry.requests.map(({ path }) => path)).toEqual([
      "/v0.1/servers/io.github.example%2Ffilesystem/versions/latest",
      "/v0.1/servers/io.github.example%2Ffilesystem/versions/1.0.2",
    ]);
  });

  it("throws NOT_FOUND for an unknown server and for a deleted one", async () => {
    const { client } = await startRegistry();
    const subject = expect.stringContaining('server "com.example/none"');
    await expect(client.get("com.example/none")).rejects.toMatchObject({ code: "NOT_FOUND", details: { subject } });
    await expect(client.get("io.github.example/gone-weather")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("throws REGISTRY_INVALID if the registry answers with another server", async () => {
    const { client } = await startRegistry({ failure: "malformed" });
    await expect(client.get("com.example/none")).rejects.toMatchObject({ code: "REGISTRY_INVALID" });
  });
});

describe("RegistryClient with a registry that fails", () => {
  it.each([
    ["malformed", "REGISTRY_INVALID", "servers is not a list"],
    ["html", "REGISTRY_INVALID", "it is not JSON"],
    ["huge", "REGISTRY_UNREACHABLE", "more than 1048576 bytes"],
    [{ status: 503 }, "REGISTRY_UNREACHABLE", "HTTP status 503"],
    [{ status: 403 }, "REGISTRY_INVALID", "HTTP status 403"],
    [{ redirectTo: "file:///etc/passwd" }, "REGISTRY_UNREACHABLE", "which is another site"],
    [
      { redirectTo: "http://10.0.0.1/" },
      "REGISTRY_UNREACHABLE",
      'redirects to "http://10.0.0.1/", which is another site',
    ],
    [{ redirectTo: "http://127.0.0.1:9/steal" }, "REGISTRY_UNREACHABLE", "which is another site"],
  ] as const)("rejects the answer %j with %s", async (failure, code, reason) => {
    const { registry, client } = await startRegistry({ failure });
    await expect(client.search(["weather"])).rejects.toMatchObject({
      code,
      details: { registry: registry.url, reason: expect.stringContaining(reason) },
    });
  });

  it("stops waiting for a silent registry when the caller cancels", async () => {
    const { client } = await startRegistry({ failure: "silent" });
    await expect(client.search(["x"], { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      code: "CANCELLED",
    });
  });

  it("throws REGISTRY_UNREACHABLE if nothing listens at the URL", async () => {
    const { registry, client } = await startRegistry();
    await registry.close();
    opened.length = 0;
    await expect(client.search(["x"])).rejects.toMatchObject({ code: "REGISTRY_UNREACHABLE" });
  });
});

describe("RegistryClient with a URL", () => {
  it("accepts https, and http on this machine, and ignores an API version at the end", async () => {
    expect((await openRegistry({ env: {} })).url).toBe("https://registry.modelcontextprotocol.io");
    expect((await openRegistry({ env: {} }, "https://example.com/mcp/registry/v0.1/")).url).toBe(
      "https://example.com/mcp/registry",
    );
    expect((await openRegistry({ env: {} }, "http://localhost:8080")).url).toBe("http://localhost:8080");
  });

  it.each(["http://example.com", "ftp://example.com", "example", "https://user:pass@example.com"])(
    "rejects %s with USAGE",
    async (url) => {
      await expect(openRegistry({ env: {} }, url)).rejects.toMatchObject({ code: "USAGE" });
    },
  );
});

describe("openRegistry for a caller that may name only public registries", () => {
  it("reaches a registry on this machine only if the environment names it", async () => {
    const { registry } = await startRegistry();
    const place = { publicRegistriesOnly: true };
    const named = await openRegistry({ ...place, env: {} }, registry.url);
    await expect(named.search(["weather"])).rejects.toMatchObject({ code: "REGISTRY_UNREACHABLE" });
    expect(registry.requests).toEqual([]);
    const env = { PLUGBOARD_REGISTRY_URL: `${registry.url}/v0.1/` };
    for (const url of [undefined, registry.url])
      expect((await (await openRegistry({ ...place, env }, url)).search(["weather"])).servers).toHaveLength(2);
  });
});
