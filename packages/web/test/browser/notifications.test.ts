/** Tests the browser's notifications about new questions. */
import { addNamedToken } from "@plugboard/host/tokens";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, vi } from "vitest";
import { connectClient } from "../helpers/connect-client.ts";
import { clickNotification, recordNotifications, shownNotifications } from "../helpers/notifications.ts";
import { goTo, startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openTab } = useBrowser({ whole: true });

describe("the notifications of the page", () => {
  it("name the tool and its caller while the page is in the background, and lead to the inbox", async () => {
    const host = await startPageHost({ s: scriptedLegacy() });
    const page = await openTab(host);
    await page.context().grantPermissions(["notifications"]);
    await recordNotifications(page);
    await page.goto(host.daemon.openPage().url);
    await page.getByRole("link", { name: "s", exact: true }).waitFor();

    const token = await addNamedToken(host.env, { name: "desk", profile: undefined, mayApprove: false, now: 0 });
    const client = await connectClient(`${host.daemon.endpoint}/mcp`, token);
    const ask = () => client.callTool({ name: "s__echo", arguments: { text: "canary-secret-1" } });
    const badge = page.getByRole("link", { name: "Inbox" });
    const inFront = ask();
    await badge.getByText("1").waitFor();
    expect(await shownNotifications(page)).toEqual([]);

    // By default, Playwright makes every tab believe that it is in front.
    const other = await page.context().newPage();
    await other.bringToFront();
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setFocusEmulationEnabled", { enabled: false });
    await vi.waitFor(async () => expect(await page.evaluate("document.hasFocus()")).toBe(false));
    const inBackground = ask();
    await badge.getByText("2").waitFor();
    await expect
      .poll(() => shownNotifications(page))
      .toEqual([{ title: "May s:echo be called?", body: "asked by desk (Cursor)", closed: false }]);
    await clickNotification(page, 0);
    await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
    await expect.poll(() => shownNotifications(page)).toMatchObject([{ closed: true }]);

    // The notification of a question that is answered elsewhere is closed.
    const third = ask();
    await badge.getByText("3").waitFor();
    const { inbox } = host.daemon.workspace;
    for (const { id } of await inbox.list()) await inbox.answer(id, { type: "permission", decision: "no" });
    await vi.waitFor(async () =>
      expect((await shownNotifications(page)).map(({ closed }) => closed)).toEqual([true, true]),
    );
    await Promise.all([inFront, inBackground, third]);
  });

  it("are asked for only when the user clicks the button", async () => {
    const host = await startPageHost({});
    const page = await openTab(host);
    await recordNotifications(page);
    await page.goto(host.daemon.openPage().url);
    await page.getByRole("heading", { level: 1, name: "Servers" }).waitFor();
    await goTo(page, "#/inbox");
    const button = page.getByRole("button", { name: "Notify me of questions" });
    await button.waitFor();
    expect(await page.evaluate("permissionRequests")).toBe(0);
    await button.click();
    expect(await page.evaluate("permissionRequests")).toBe(1);
  });
});

it(
  "the inbox lets the owner allow a tool for one client, or for every client",
  { meta: { covers: ["S28"] } },
  async () => {
    const host = await startPageHost({ s: scriptedLegacy() });
    const page = await openTab(host);
    await page.goto(host.daemon.openPage().url);
    await page.getByRole("link", { name: "Inbox" }).click();
    const connect = async (name: string) => {
      const token = await addNamedToken(host.env, { name, profile: undefined, mayApprove: false, now: 0 });
      const client = await connectClient(`${host.daemon.endpoint}/mcp`, token);
      return () => client.callTool({ name: "s__echo", arguments: { text: "hi" } });
    };
    const [desk, lab, shop] = [await connect("desk"), await connect("lab"), await connect("shop")];
    const question = page.getByRole("region", { name: "May s:echo be called?" });
    const first = desk();
    await question
      .getByText(/Always allow: the client desk, until .* Always allow every client: you and every client, until/)
      .waitFor();
    await question.getByRole("button", { name: "Always allow", exact: true }).click();
    await first;
    await page.getByText("for the client desk").waitFor();
    const second = lab();
    await question.getByText("asked by lab").waitFor();
    await question.getByRole("button", { name: "Always allow every client" }).click();
    await second;
    await page.getByText("for you and every client").waitFor();
    expect((await shop()).isError).not.toBe(true);
  },
);
