/** Tests how the page adds a server of a registry. */
import { createServer, request } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { readFile } from "node:fs/promises";
import { startRegistryServer } from "@plugboard/testkit/registry/registry-server";
import { registryEntry, SAMPLE_SERVERS } from "@plugboard/testkit/registry/sample-servers";
import { startModernHttp } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();
const KEY = "canary-${HOME}-secret";

/** A real server behind a proxy that requires a key. */
async function startGuardedServer(): Promise<string> {
  const server = await startModernHttp();
  const proxy = createServer((incoming, response) => {
    if (incoming.headers.authorization !== `Bearer ${KEY}`) return void response.writeHead(403).end();
    const { method, headers } = incoming;
    const forwarded = request(server.url, { method: method!, headers: { ...headers, host: new URL(server.url).host } });
    forwarded.on("response", (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    forwarded.on("error", () => response.destroy());
    incoming.pipe(forwarded);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await server.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
}

describe("the registry on the page", () => {
  it("finds a server, asks for its inputs, shows the exact URL, and stores the secret outside the definition", async () => {
    const url = await startGuardedServer();
    const guarded = registryEntry({
      name: "com.example/guarded-weather",
      title: "Guarded weather",
      remotes: [
        {
          type: "streamable-http",
          url: url.replace("/mcp", "/{path}"),
          variables: { path: { description: "The path of the endpoint", isRequired: true } },
          headers: [
            {
              name: "Authorization",
              value: "Bearer {key}",
              isRequired: true,
              variables: { key: { description: "Your key", isSecret: true, isRequired: true } },
            },
          ],
        },
      ],
    });
    const registry = await startRegistryServer({ servers: [guarded, ...SAMPLE_SERVERS] });
    onTestFinished(() => registry.close());
    const host = await startPageHost({}, {}, { PLUGBOARD_REGISTRY_URL: registry.url });
    const page = await openPage(host);
    await page.getByRole("button", { name: "Add server" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("tab", { name: "Registry" }).click();
    await dialog.getByLabel("Words to search for").fill("weather");
    await page.keyboard.press("Enter");
    await dialog.getByText("Its publisher has deprecated it. Use io.github.example/weather-mcp").waitFor();

    // A package: its command, and a secret that the user sets later.
    await dialog.getByRole("button", { name: "pypi package weather-mcp-server 0.5.0" }).click();
    expect(await dialog.getByLabel("WEATHER_API_KEY").getAttribute("type")).toBe("password");
    await dialog.getByLabel("WEATHER_UNITS").selectOption("fahrenheit");
    await dialog.getByRole("button", { name: "Continue" }).click();
    const words = dialog.getByRole("list", { name: "Command" }).getByRole("listitem");
    await words.first().waitFor();
    expect(await words.allInnerTexts()).toEqual(["uvx", "weather-mcp-server==0.5.0"]);
    await dialog.getByText("plugboard secret set weather.WEATHER_API_KEY").waitFor();
    await dialog.getByRole("button", { name: "Back" }).click();
    await dialog.getByRole("button", { name: "Back" }).click();

    // A URL that needs a key.
    await dialog.getByRole("region", { name: "com.example/guarded-weather" }).getByRole("button").click();
    await dialog.getByLabel("Id").fill("guarded");
    await dialog.getByLabel("key").fill(KEY);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.getByText("Fill in path.").waitFor();
    await dialog.getByLabel("path").fill("mcp");
    await dialog.getByRole("button", { name: "Continue" }).click();
    await words.first().waitFor();
    expect(await words.allInnerTexts()).toEqual([url]);
    expect(await dialog.innerText()).not.toContain("canary");
    await dialog.getByRole("button", { name: "Test it" }).click();
    await dialog.getByText("It works.").waitFor();
    expect((await host.daemon.workspace.secrets.list()).secrets).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "guarded" }).getByText("ready").waitFor();

    const text = await readFile(host.configFile, "utf8");
    expect(text).not.toContain("canary");
    expect(JSON.parse(text)).toMatchObject({
      mcp: { servers: { guarded: { url, headers: { Authorization: { $secret: "guarded.Authorization" } } } } },
    });
    expect((await host.daemon.workspace.secrets.list()).secrets).toMatchObject([
      { name: "guarded.Authorization", state: "stored" },
    ]);
  });

  it("says which registry does not answer, and searches again", async () => {
    const registry = await startRegistryServer({ searchFailure: { status: 503 } });
    onTestFinished(() => registry.close());
    const page = await openPage(await startPageHost({}, {}, { PLUGBOARD_REGISTRY_URL: registry.url }));
    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByRole("tab", { name: "Registry" }).click();
    await page.getByLabel("Words to search for").fill("weather");
    const search = page.getByRole("button", { name: "Search" });
    await search.click();
    const alert = page.getByRole("dialog").getByRole("alert");
    await alert.waitFor();
    expect(await alert.innerText()).toContain(registry.url);
    expect(await search.isEnabled()).toBe(true);
  });
});
