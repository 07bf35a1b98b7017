/** Tests a tool that its server changes after the user has always allowed it. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileDrivenServer } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { goTo, startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();

describe("an allowed tool that its server changes", () => {
  it("is marked in the tools and at its server, and the inbox and the activity show that its decision has lapsed", async () => {
    const folder = await mkdtemp(join(tmpdir(), "plugboard-changed-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const script = join(folder, "tools.json");
    const describeTool = (description: string) => {
      const tool = { name: "erase", description, inputSchema: { type: "object" } };
      return writeFile(script, JSON.stringify({ tools: [tool] }));
    };
    await describeTool("Erases a file.");
    const servers = { s: fileDrivenServer(script, join(folder, "journal")) };
    const host = await startPageHost(servers, { allow: ["s:announce"] });
    const page = await openPage(host, "#/tools/s/erase");
    const tool = page.getByRole("region", { name: "erase", exact: true });
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByRole("button", { name: "Always allow", exact: true }).click();
    await tool.getByText("You always allow it").waitFor();
    const { activity, tools } = host.daemon.workspace;
    // The workspace of a command, which shares the servers of the host and starts none.
    const { permissions } = await host.daemon.connect("cli").workspace({ cwd: host.folder });
    expect(await permissions.decisions()).toEqual([expect.not.objectContaining({ lapsed: true })]);

    await describeTool("Erases a whole disk.");
    await tools.call("s:announce");
    await tool.getByText("changed since you allowed it").waitFor();
    await page.locator(".tool-row", { hasText: "erase" }).getByText("changed", { exact: true }).waitFor();
    expect(await permissions.decisions()).toMatchObject([{ server: "s", tool: "erase", lapsed: true }]);
    await expect
      .poll(() => activity.recent({}))
      .toContainEqual(expect.objectContaining({ type: "decision", server: "s", tool: "erase", decision: "lapsed" }));
    await goTo(page, "#/servers");
    await page.locator("tr", { hasText: "file-driven" }).getByText("changed", { exact: true }).waitFor();
    await goTo(page, "#/activity");
    await page.getByText("s:erase has changed since you allowed it. You are asked again.").waitFor();
    await goTo(page, "#/inbox");
    await page.getByText("The tool has changed since you allowed it, so you will be asked again.").waitFor();
    await page.getByText("lapsed", { exact: true }).waitFor();

    // The tool has the definition again that the user has allowed.
    await describeTool("Erases a file.");
    await tools.call("s:announce");
    await page.getByText("lapsed", { exact: true }).waitFor({ state: "detached" });
    expect(await permissions.decisions()).toEqual([expect.not.objectContaining({ lapsed: true })]);
  });
});
