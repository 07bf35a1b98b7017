/** Tests servers on the page: how they are added, edited, enabled and disabled, and how their state is shown live. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { goTo, startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage, openTab } = useBrowser();
const wordsOf = ({ command, args = [] }: { command: string; args?: readonly string[] }) => [command, ...args];
const commandLine = (server: Parameters<typeof wordsOf>[0]) =>
  wordsOf(server)
    .map((word) => `'${word}'`)
    .join(" ");
const stateOf = (id: string) => `tr:has(a:text-is("${id}")) .badge`;

describe("the servers on the page", () => {
  it(
    "begins with a start page, and adds the first server after a test",
    { meta: { covers: ["S17", "R3.97"] } },
    async () => {
      const host = await startPageHost({});
      await mkdir(join(host.folder, ".cursor"));
      const ofCursor = { mcpServers: { one: { command: "a" }, two: { command: "b" } } };
      await writeFile(join(host.folder, ".cursor", "mcp.json"), JSON.stringify(ofCursor));
      const page = await openPage(host);
      await page.getByRole("button", { name: /^Import from another client.*2 servers/ }).click();
      await page.getByRole("checkbox", { name: "two" }).waitFor();
      await page.keyboard.press("Escape");
      const words = page.getByRole("list", { name: "Command" }).getByRole("listitem");
      await page.getByRole("button", { name: /^Files/ }).click();
      await page.getByRole("button", { name: "Save" }).waitFor();
      const filesystem = ["npx", "-y", "@modelcontextprotocol/server-filesystem", host.folder];
      expect(await words.allInnerTexts()).toEqual(filesystem);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Add a server" }).click();
      await page.getByLabel("Id").fill("first");
      await page.getByPlaceholder(homedir()).waitFor();
      const proof = join(host.folder, "ran");
      const command = scriptedLegacy();
      await page
        .getByLabel("Command")
        .last()
        .fill(`sh -c 'touch ${proof}; exec "$@"' sh ${commandLine(command)}`);
      await page.getByRole("button", { name: "Continue" }).click();

      await words.first().waitFor();
      expect(await words.allInnerTexts()).toEqual([
        "sh",
        "-c",
        `touch ${proof}; exec "$@"`,
        "sh",
        command.command,
        ...command.args,
      ]);
      expect(existsSync(proof)).toBe(false);
      await page.locator(`dt:text-is("Runs in") + dd > code:text-is("${homedir()}")`).waitFor();
      const [first, second] = await Promise.all([words.nth(0), words.nth(1)].map((word) => word.boundingBox()));
      expect(second!.y).toBe(first!.y);

      await page.getByRole("button", { name: "Test it" }).click();
      await page.getByText("It works.").waitFor();
      expect(existsSync(proof)).toBe(true);
      expect(await readFile(host.configFile, "utf8")).not.toContain("first");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { level: 1, name: "first" }).getByText("ready").waitFor();
      expect(await readFile(host.configFile, "utf8")).toContain('"first"');
    },
  );

  it("says what a server of a project could do without a sandbox, and sets and shows the sandbox of a server", async () => {
    const host = await startPageHost({ s: scriptedLegacy() });
    const boxed = { ...scriptedLegacy(), sandbox: { write: ["out"], network: ["example.com"] } };
    const mcpServers = { open: scriptedLegacy(), boxed };
    await writeFile(join(host.folder, ".mcp.json"), JSON.stringify({ mcpServers }));
    const page = await openPage(host);
    const factOf = (name: string) => page.locator(`dt:text-is("${name}") + dd`);
    const review = async (id: string, text: string) => {
      await page.locator(`.card:has(strong:text-is("${id}"))`).getByRole("button", { name: "Review" }).click();
      await factOf("Sandbox").getByText(text).waitFor();
      await page.getByRole("button", { name: "Not now" }).click();
    };
    await review("open", "It would run without a sandbox: it could read and change all your files");
    await review("boxed", `it may write to ${join(host.folder, "out")}; may reach only example.com.`);

    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByLabel("Id").fill("mine");
    await page.getByLabel("Command").last().fill(commandLine(scriptedLegacy()));
    await page.getByText("More", { exact: true }).click();
    await page.getByLabel("Sandbox").selectOption("offline");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "mine" }).waitFor();
    await factOf("Sandbox").getByText("sees none of your files; may reach no host").waitFor();
    expect(JSON.parse(await readFile(host.configFile, "utf8"))).toMatchObject({
      mcp: { servers: { mine: { sandbox: "offline" } } },
    });
  });

  it("shows why a test failed, with the end of stderr", async () => {
    const page = await openPage(await startPageHost({}));
    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Type the command that starts the server.").waitFor();
    await page.getByText("Give the server an id").waitFor();
    await page.getByLabel("Id").fill("no spaces");
    await page.getByLabel("Command").last().fill("sh -c 'echo no API key >&2; exit 3'");
    await page.keyboard.press("Enter");
    await page.getByText("This id has other characters").waitFor();
    await page.getByLabel("Id").fill("");
    await page.keyboard.press("Enter");
    await page.getByText("Give the server an id").waitFor();
    expect(await page.evaluate("document.activeElement.placeholder")).toBe("files");
    await page.keyboard.type("bad");
    await page.getByText("Give the server an id").waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Test it" }).click();
    await page.getByText("SERVER_CRASHED").waitFor();
    await page.locator("pre").getByText("no API key").waitFor();
    expect((await page.locator(".notice").innerText()).match(/no API key/g)).toHaveLength(1);
  });

  it("always shows the whole command that the user confirms, even if there is much more in the dialog below it", async () => {
    const host = await startPageHost({});
    const page = await openPage(host, "#/servers", { viewport: { width: 1280, height: 800 } });
    await page.getByRole("button", { name: "Add server" }).click();
    await page
      .getByLabel("Command")
      .last()
      .fill(`sh -c 'seq 100 >&2; exit 3' ${"argument ".repeat(40)}`);
    await page.getByLabel("Id").fill("bad");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Whole definition").click();
    await page.getByRole("button", { name: "Test it" }).click();
    await page.getByText("SERVER_CRASHED").waitFor();
    const hidden = await page
      .getByRole("list", { name: "Command" })
      .evaluate((list: { scrollHeight: number; clientHeight: number }) => list.scrollHeight - list.clientHeight);
    expect(hidden).toBe(0);
  });

  it("stores the API key of a server as a secret, keeps masked values, and saves no unchanged definition", async () => {
    const host = await startPageHost({});
    const page = await openPage(host);
    const add = async (id: string) => {
      await page.getByRole("button", { name: "Add server" }).click();
      await page.getByLabel("Command").last().fill(commandLine(scriptedLegacy()));
      await page.getByLabel("Id").fill(id);
      await page.getByLabel("Environment variables").fill("API_KEY=canary\nREGION=eu");
      await page.getByRole("button", { name: "Continue" }).click();
    };
    const store = page.getByRole("checkbox", { name: "Store API_KEY as a secret" });
    const savedServers = async () =>
      (JSON.parse(await readFile(host.configFile, "utf8")) as { mcp: { servers: object } }).mcp.servers;
    await add("stored");
    await store.waitFor();
    expect(await store.isChecked()).toBe(true);
    await page.getByText("only refers to stored.API_KEY. Secrets are in a file that only you can read").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "stored" }).getByText("ready").waitFor();
    expect(await savedServers()).toMatchObject({
      stored: { env: { API_KEY: { $secret: "stored.API_KEY" }, REGION: "eu" } },
    });

    await goTo(page, "#/servers");
    await add("plain");
    await store.uncheck();
    await page.getByText("The config file has it in plain text.").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "plain" }).getByText("ready").waitFor();
    expect(await savedServers()).toMatchObject({ plain: { env: { API_KEY: "canary", REGION: "eu" } } });

    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByText("*** keeps the value that is stored.").waitFor();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Nothing changes, so there is nothing to save").waitFor();
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await store.check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await savedServers()).toMatchObject({
      plain: { env: { API_KEY: { $secret: "plain.API_KEY" }, REGION: "eu" } },
    });
  });

  it("takes a server from the JSON of a README, and says that its test runs, during which the user can go back", async () => {
    const host = await startPageHost({});
    const page = await openPage(host);
    const waiting = { command: "sleep", args: ["600"] };
    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByRole("tab", { name: "JSON" }).click();
    await page.getByLabel("Definition").fill("{");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("This is not valid JSON").waitFor();
    await page.getByLabel("Definition").fill(JSON.stringify({ mcpServers: { readme: waiting } }));
    await page.getByText("This is not valid JSON").waitFor({ state: "detached" });
    expect(await page.getByLabel("Id").inputValue()).toBe("readme");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Test it" }).click();
    await page.getByRole("status").getByText("Starting the server…").waitFor();
    await page.getByRole("button", { name: "Back" }).click();
    expect(await page.getByLabel("Id").inputValue()).toBe("readme");
  });

  it("ends the server of a running test when the user leaves the step, the dialog or the page", async () => {
    const host = await startPageHost({});
    const page = await openPage(host);
    for (const [name, leave] of [
      ["step", () => page.getByRole("button", { name: "Back" }).click()],
      ["dialog", () => page.keyboard.press("Escape")],
      ["page", () => page.close()],
    ] as const) {
      const pidFile = join(host.folder, name);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Add server" }).click();
      await page.getByLabel("Command").last().fill(`sh -c 'echo $$ > new; mv new ${pidFile}; exec sleep 600'`);
      await page.getByLabel("Id").fill(name);
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByRole("button", { name: "Test it" }).click();
      const pid = Number(await vi.waitFor(() => readFile(pidFile, "utf8"), 10_000));
      expect(isAlive(pid)).toBe(true);
      await leave();
      await waitUntilDead(pid, 10_000);
    }
  });

  it("does not show a list as empty if the host has not sent it", async () => {
    const host = await startPageHost({});
    const page = await openPage(host);
    await host.writeConfig({ slow: { command: "sleep", args: ["600"] } });
    await page.locator(stateOf("slow")).getByText("connecting").waitFor();
    await goTo(page, "#/servers/slow/tools");
    await page.getByText("Connecting…").waitFor();
    await host.daemon.stop();
    await page.getByText("The host does not answer").waitFor();
    await goTo(page, "#/tools");
    const rules = page.locator(".card", { hasText: "Permission rules" });
    await rules.getByText("Not connected to the host").waitFor();
    expect(await page.getByRole("status").allInnerTexts()).toContain("Not connected to the host");
  });

  it("does not restart a server that reached its restart limit until the user connects it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "plugboard-late-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const command = join(folder, "late-server");
    const host = await startPageHost({ late: { command } });
    const script = wordsOf(scriptedLegacy()).map((word) => `'${word}'`);
    await writeFile(command, `#!/bin/sh\ntouch ${folder}/ran\nexec ${script.join(" ")}\n`, { mode: 0o755 });
    const page = await openTab(host);
    const started = page.waitForResponse((response) => response.url().endsWith("/start"));
    await page.goto(host.daemon.openPage().url);
    await (await started).finished();
    await page.locator(stateOf("late")).getByText("failed").waitFor();
    expect(existsSync(join(folder, "ran"))).toBe(false);
    await page.getByRole("link", { name: "late", exact: true }).click();
    await page.getByRole("button", { name: "Connect" }).click();
    await page.getByRole("heading", { level: 1, name: "late" }).getByText("ready").waitFor();
    expect(existsSync(join(folder, "ran"))).toBe(true);
  });

  it("offers to edit and remove only servers that a config file of the user or the project defines", async () => {
    const folder = await mkdtemp(join(tmpdir(), "plugboard-given-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, "given.json");
    await writeFile(file, JSON.stringify({ mcpServers: { given: scriptedLegacy() } }));
    const host = await startPageHost({ s: scriptedLegacy() }, {}, {}, [file]);
    const page = await openPage(host, "#/servers/given");
    const actions = page.locator("header .actions");
    await page.getByText("by the command that started Plugboard. The page can’t edit or remove it.").waitFor();
    expect(await actions.getByRole("button").allInnerTexts()).toEqual(["Reconnect"]);
    await actions.getByRole("button", { name: "Reconnect" }).click();
    await page.getByText("given is connected again").waitFor();
    await goTo(page, "#/servers/s");
    await actions.getByRole("button", { name: "Edit" }).waitFor();
    await actions.getByRole("button", { name: "Remove" }).waitFor();
  });

  it("sees a crash, a change of the config file and a broken config file live", async () => {
    const host = await startPageHost({ s: scriptedLegacy() }, { allow: ["*"] });
    const page = await openPage(host);
    await page.locator(stateOf("s")).getByText("ready").waitFor();
    const crashed = host.daemon.workspace.tools.call("s:crash").catch(() => {});
    await page.locator('tr:has(a:text-is("s")) td[data-label="Restarts"]').getByText("1", { exact: true }).waitFor();
    await crashed;

    await host.writeConfig({ s: scriptedLegacy(), other: scriptedLegacy() });
    await page.locator(stateOf("other")).getByText("ready").waitFor();
    await host.writeConfig({ other: scriptedLegacy() });
    await page.getByRole("link", { name: "s", exact: true }).waitFor({ state: "detached" });

    await writeFile(host.configFile, "{");
    await page.getByRole("switch", { name: "Enable other" }).click();
    const toast = page.locator(".toast");
    await page.locator(".toast-danger").waitFor();
    await goTo(page, "#/activity");
    const notice = page.locator(".view .notice", { hasText: "config.json" });
    await notice.getByText(/^and \d more$/).waitFor();
    expect(await page.locator(".view .notice").count()).toBe(1);
    expect(await toast.count()).toBe(0);
  });

  it("cuts long commands and errors, so that the switch of each server stays inside the table", async () => {
    const long = Array.from({ length: 12 }, (_, at) => `--some-long-option-${at}=/a/path/without/a/space`);
    const host = await startPageHost({
      ok: { command: "sh", args: ["-c", `: ${long.join(" ")}; exec "$@"`, "sh", ...wordsOf(scriptedLegacy())] },
      failing: { command: `/no/such/${"folder".repeat(20)}/command`, args: long },
    });
    const page = await openPage(host, "#/servers");
    await page.locator(stateOf("failing")).getByText("failed").waitFor();
    await page.locator(stateOf("ok")).getByText("ready").waitFor();
    const overflow =
      "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.table-scroll'))";
    for (const width of [1280, 1024, 920, 800, 360]) {
      await page.setViewportSize({ width, height: 800 });
      const card = page.locator(".table-scroll");
      expect(await page.evaluate(overflow), `${width} px`).toBe(0);
      const inner = (await card.boundingBox())!;
      const control = (await page.getByRole("switch", { name: "Enable failing" }).boundingBox())!;
      expect(control.x + control.width, `${width} px`).toBeLessThan(inner.x + inner.width);
      const name = (await page.getByRole("link", { name: "failing" }).boundingBox())!;
      expect(name.x + name.width, `${width} px`).toBeLessThan(control.x);
    }
  });

  it(
    "disables a server in its file, edits it with a diff, and removes it",
    { meta: { covers: ["R3.97"] } },
    async () => {
      const host = await startPageHost({ s: { ...scriptedLegacy(), env: { KEY: "abc-secret-123456" } } });
      const page = await openPage(host);
      await page.getByRole("switch", { name: "Enable s" }).click();
      await page.locator(stateOf("s")).getByText("disabled").waitFor();
      expect(await readFile(host.configFile, "utf8")).toContain('"enabled": false');
      await page.getByRole("switch", { name: "Enable s" }).click();
      await page.locator(stateOf("s")).getByText("ready").waitFor();

      await page.getByRole("link", { name: "s", exact: true }).click();
      await page.getByRole("button", { name: "Edit" }).click();
      expect(await page.getByLabel("Environment variables").inputValue()).toBe("KEY=***");
      await page.getByLabel("Environment variables").fill("KEY=***\nMORE=1");
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText('+ env.MORE: "***"').waitFor();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("is saved in").waitFor();
      const saved = JSON.parse(await readFile(host.configFile, "utf8")) as { mcp: { servers: { s: object } } };
      expect(saved.mcp.servers.s).toMatchObject({ env: { KEY: "abc-secret-123456", MORE: "1" } });

      await page.getByRole("button", { name: "Remove" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await page.getByRole("heading", { name: "Add your first server" }).waitFor();
      expect(await readFile(host.configFile, "utf8")).not.toContain("abc-secret");
    },
  );

  it(
    "shows the whole definition of a project's server before it is approved",
    { meta: { covers: ["S17"] } },
    async () => {
      const host = await startPageHost({});
      const proof = join(host.folder, "ran");
      const { command, args } = scriptedLegacy();
      const shared = { command: "sh", args: ["-c", `touch ${proof}; exec "$@"`, "sh", command, ...args] };
      await writeFile(join(host.folder, ".mcp.json"), JSON.stringify({ mcpServers: { shared } }));
      const page = await openPage(host);
      await page.getByRole("button", { name: "Review" }).click();
      const definition = page.getByRole("group", { name: "Definition" });
      await definition.getByText("exec").waitFor();
      expect(await definition.innerText()).toContain(`touch ${proof}`);
      expect(existsSync(proof)).toBe(false);
      await page.getByRole("button", { name: "Approve this definition" }).click();
      await page.locator(stateOf("shared")).getByText("ready").waitFor();
    },
  );
});
