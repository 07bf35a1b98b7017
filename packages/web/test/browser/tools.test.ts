/** Tests tools on the page: the search, the call form, results, permissions and questions. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { everythingStdio, fileDrivenServer, scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { goTo, startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();

/** A server with these tools and results. */
async function serverWith(tools: readonly object[], results: object = {}) {
  const folder = await mkdtemp(join(tmpdir(), "plugboard-tools-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "tools.json"), JSON.stringify({ tools, results }));
  return fileDrivenServer(join(folder, "tools.json"), join(folder, "journal"));
}

const object = (properties: object, required: readonly string[] = []) => ({ type: "object", properties, required });

describe("the tools on the page", () => {
  it("calls a tool from its form, and shows the same call as a command and as a program", async () => {
    const host = await startPageHost({ every: everythingStdio() }, { allow: ["*"] });
    const page = await openPage(host, "#/tools/every/get-sum");
    await page.getByLabel("a", { exact: true }).fill("19");
    await page.getByLabel("b", { exact: true }).fill("23");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByText("The sum of 19 and 23 is 42").first().waitFor();
    await page.getByText(/after [\d.]+ (?:ms|s)/).waitFor();
    await page.getByRole("tab", { name: "As a command" }).click();
    await page.getByText("plugboard call every:get-sum a:=19 b:=23").waitFor();
    await page.getByRole("tab", { name: "As a program" }).click();
    await page.getByText('host.tools.call("every:get-sum"').waitFor();
    await goTo(page, "#/tools/every/get-tiny-image");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    const image = page.getByRole("img", { name: "Image of type image/png" });
    await image.waitFor();
    expect(await image.evaluate((element) => (element as { naturalWidth?: number }).naturalWidth)).toBeGreaterThan(0);
  });

  it("shows the arguments of valid JSON in the form, the command and the program, and keeps invalid JSON", async () => {
    const page = await openPage(await startPageHost({ every: everythingStdio() }), "#/tools/every/get-sum");
    const tab = (name: string) => page.getByRole("tab", { name }).click();
    const a = page.getByLabel("a", { exact: true });
    await a.fill("7");
    await tab("JSON");
    const json = page.getByLabel("Arguments as JSON");
    await json.fill('{"a": 70, "b": 5}');
    await tab("As a command");
    await page.getByText("plugboard call every:get-sum a:=70 b:=5").waitFor();
    await tab("As a program");
    await page.getByText('"a": 70').waitFor();
    await tab("Form");
    expect(await a.inputValue()).toBe("70");
    await tab("JSON");
    expect(await json.inputValue()).toBe('{"a": 70, "b": 5}');

    await json.fill('{"a": 71, "b": }');
    await tab("As a command");
    await page.getByText("The text under JSON is not valid.").waitFor();
    await page.getByText("plugboard call every:get-sum a:=70 b:=5").waitFor();
    await tab("JSON");
    expect(await json.inputValue()).toBe('{"a": 71, "b": }');
    await page.getByText("This is not valid JSON").waitFor();
    await json.fill('{"a": true, "b": 5, "c": 1}');
    await tab("Form");
    await page.getByText("The form can’t show all arguments.").waitFor();
  });

  it("keeps a text in a number field, and says once that it is not a number", async () => {
    const page = await openPage(await startPageHost({ every: everythingStdio() }), "#/tools/every/get-sum");
    await page.getByLabel("a", { exact: true }).pressSequentially("seven");
    await page.getByLabel("b", { exact: true }).pressSequentially("1.5");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.locator("input:focus").waitFor();
    expect(await page.locator("input:focus").inputValue()).toBe("seven");
    const form = page.getByRole("region", { name: "Try it" });
    expect(await form.locator(".field-required", { hasText: /\w/ }).allInnerTexts()).toEqual([
      "This is not a number. ",
    ]);
    expect(await page.getByLabel("b", { exact: true }).inputValue()).toBe("1.5");
    expect(await page.getByRole("region", { name: /^May/ }).count()).toBe(0);
  });

  it("moves the focus from an answered question to the result, and shows how long the call has waited", async () => {
    const page = await openPage(await startPageHost({ s: scriptedLegacy() }), "#/tools/s/echo");
    await page.getByLabel("text", { exact: true }).fill("hi");
    await page.keyboard.press("Enter");
    const allow = page.getByRole("button", { name: "Allow once" });
    await allow.focus();
    await page.locator("button:not([disabled])", { hasText: "Allow once" }).waitFor();
    await allow.focus();
    await page.keyboard.press("Enter");
    await page.getByText(/after [\d.]+ m?s, of which [\d.]+ m?s waited for an answer/).waitFor();
    await page.locator('[aria-label="Result"]:focus').waitFor();
  });

  it("makes a form of nested objects, lists, choices and alternatives, and offers JSON for everything else", async () => {
    const tool = {
      name: "complex",
      description: "Has many arguments.",
      inputSchema: object(
        {
          place: object({ city: { type: "string" }, zip: { type: "integer", default: 12 } }, ["city"]),
          tags: { type: "array", items: { type: "string" } },
          color: { enum: ["red", "green"] },
          size: {
            oneOf: [
              { type: "integer", title: "Number" },
              { type: "string", title: "Word" },
            ],
          },
        },
        ["place"],
      ),
    };
    const page = await openPage(
      await startPageHost({ s: await serverWith([tool]) }, { allow: ["*"] }),
      "#/tools/s/complex",
    );
    await page.getByLabel("city").fill("Bern");
    await page.getByRole("button", { name: "Add to tags" }).click();
    await page.getByLabel("tags[0]", { exact: true }).fill("one");
    await page.getByLabel("color").selectOption("green");
    await page.getByLabel("Form of size").selectOption("Word");
    await page.getByLabel("size", { exact: true }).fill("big");
    await page.getByRole("tab", { name: "JSON" }).click();
    const json = page.getByLabel("Arguments as JSON");
    expect(JSON.parse(await json.inputValue())).toEqual({
      place: { city: "Bern", zip: 12 },
      tags: ["one"],
      color: "green",
      size: "big",
    });
    await json.fill("{");
    await page.getByText("This is not valid JSON").waitFor();
    expect(await page.getByRole("button", { name: "Call", exact: true }).isDisabled()).toBe(true);
    await json.fill('{"place":{"city":"Ulm"}}');
    await page.getByRole("tab", { name: "Form" }).click();
    expect(await page.getByLabel("city").inputValue()).toBe("Ulm");
  });

  it("asks for permission with the arguments in full, and shows a decision at its tool until it is revoked", async () => {
    const options = { viewport: { width: 1280, height: 500 } };
    const page = await openPage(await startPageHost({ s: scriptedLegacy() }), "#/tools/s/echo", options);
    const call = page.getByRole("button", { name: "Call", exact: true });
    const question = page.getByRole("region", { name: "May s:echo be called?" });
    await call.click();
    await page.getByText("This field is required.").waitFor();
    await page.keyboard.type("hello there");
    expect(await page.getByText("This field is required.").count()).toBe(0);
    await call.click();
    await question.getByText("hello there").waitFor();
    // The window is lower than the tool and its question.
    const { y, height } = (await question.boundingBox())!;
    expect(y + Math.min(height, 400)).toBeLessThanOrEqual(500);
    await question
      .getByText(
        "Allow for this session: the page, until it is closed or reloaded. Always allow: you, in every chat, command and program",
      )
      .waitFor();
    await question.getByLabel("Reason that the model sees").fill("not now");
    await question.getByRole("button", { name: "Deny" }).click();
    await page.getByText("TOOL_DENIED").waitFor();
    await page.getByText("not now").waitFor();

    await call.click();
    await question.getByRole("button", { name: "Always allow", exact: true }).click();
    await page.getByText("done", { exact: true }).waitFor();
    const tool = page.getByRole("region", { name: "echo", exact: true });
    await tool.getByText(/^You always allow it \(since/).waitFor();
    const rules = page.getByRole("region", { name: "Permission rules" });
    await rules.getByText("for you, in every chat, command and program, and clients without a token, since").waitFor();
    await call.click();
    await page.getByText("done", { exact: true }).waitFor();
    expect(await question.count()).toBe(0);

    // A rule that asks overrides the earlier decision. A new decision, which answers the rule, is shown with the rule.
    const permission = page.getByLabel("Permission of s:echo");
    await permission.selectOption("Ask each time");
    await rules.getByText("Remove").waitFor();
    await call.click();
    await question.getByText("The rule s:echo requires the question").waitFor();
    await question.getByRole("button", { name: "Always allow", exact: true }).click();
    await tool.getByText(/^The rule s:echo asks, but you always allow it/).waitFor();
    await permission.selectOption("No rule of its own");
    await rules.getByText("Remove").waitFor({ state: "detached" });
    await permission.selectOption("Ask each time");
    await rules.getByText("Remove").waitFor();
    await call.click();
    await question.getByRole("button", { name: "Always allow", exact: true }).click();
    await tool.getByRole("button", { name: "Revoke the decision on s:echo" }).click();
    await tool.getByText("you always allow it").waitFor({ state: "detached" });
    await call.click();
    await question.getByRole("button", { name: "Always allow", exact: true }).click();
    await page.getByText("done", { exact: true }).waitFor();

    await goTo(page, "#/activity");
    await page.getByText("denied by you").waitFor();
    await page.getByText("always allowed").first().waitFor();
    await goTo(page, "#/inbox");
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("The decision is revoked").last().waitFor();
  });

  it("keeps a call whose question is answered in the inbox, which links to its result", async () => {
    const page = await openPage(await startPageHost({ s: scriptedLegacy() }), "#/tools/s/echo");
    const question = page.getByRole("region", { name: "May s:echo be called?" });
    const own = page.getByRole("region", { name: "Your calls" });
    await page.getByLabel("text", { exact: true }).fill("hello there");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await question.waitFor();
    await goTo(page, "#/inbox");
    await own.getByText("waits for an answer").waitFor();
    await own.getByRole("link", { name: "Go to the call" }).click();
    await page.getByRole("button", { name: "Calling…" }).waitFor();
    await question.getByText("hello there").waitFor();
    await goTo(page, "#/inbox");
    await question.getByRole("button", { name: "Allow once" }).click();
    await own.getByText("done").waitFor();
    await own.getByRole("link", { name: "Show the result" }).click();
    const trial = page.getByRole("region", { name: "Try it" });
    await trial.getByText("done", { exact: true }).waitFor();
    await trial.getByRole("status").getByText("hello there").waitFor();
    expect(await page.getByLabel("text", { exact: true }).inputValue()).toBe("hello there");
    await goTo(page, "#/inbox");
    await page.getByText("Nothing waits for you").waitFor();
    expect(await own.count()).toBe(0);
  });

  it("answers a call of another program in the inbox, and the form of a server", async () => {
    const host = await startPageHost({ every: everythingStdio() }, { allow: ["every:trigger-elicitation-request"] });
    const page = await openPage(host, "#/tools/every/trigger-elicitation-request");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    const form = page.getByRole("region", { name: "every asks you" });
    await form.getByText("during a call from the page").waitFor();
    await form.getByRole("button", { name: "Send" }).click();
    await form.getByText("This field is required.").waitFor();
    expect(await page.evaluate("document.activeElement.labels?.[0].textContent")).toBe("String");
    await page.keyboard.type("Ada");
    await form.getByRole("button", { name: "Send" }).click();
    await page.getByText("Ada").last().waitFor();
  });

  it("says why a tool is not offered, with the rule or the switch that offers it again", async () => {
    const page = await openPage(await startPageHost({ s: scriptedLegacy() }), "#/tools/s/echo");
    const tool = page.getByRole("region", { name: "echo", exact: true });
    const call = page.getByRole("button", { name: "Call", exact: true });
    await tool.getByLabel("Permission of s:echo").selectOption("Deny always");
    await tool.getByText("A rule denies it: deny s:echo (user)").waitFor();
    await goTo(page, "#/tools");
    await page.getByRole("link", { name: "s:echo" }).click();
    await tool.getByLabel("Permission of s:echo").selectOption("No rule of its own");
    await call.waitFor();
    await tool.getByRole("switch", { name: "Offer echo" }).click();
    await tool.getByText("It is switched off.").waitFor();
    await page.getByRole("link", { name: "s:echo" }).waitFor();
    await tool.getByRole("switch", { name: "Offer echo" }).click();
    await call.waitFor();
    await goTo(page, "#/tools/gone/echo");
    await tool.getByText("There is no server gone.").waitFor();
  });

  it("shows the rule that denies a tool, says that a choice has no effect, and finds the tool by its name", async () => {
    const folder = await mkdtemp(join(tmpdir(), "plugboard-rules-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, "strict.json");
    await writeFile(file, JSON.stringify({ mcp: { permissions: { deny: ["s:echo"] } } }));
    const page = await openPage(await startPageHost({ s: scriptedLegacy() }, {}, {}, [file]), "#/tools");
    const search = page.getByLabel("Search tools");
    await search.fill("echo");
    const list = page.locator(".list-panel");
    await list.getByText("1 tool that is denied or off matches:").waitFor();
    await list.getByRole("link", { name: "s:echo" }).click();
    const tool = page.getByRole("region", { name: "echo", exact: true });
    await tool.getByText("Now: Denied by the rule s:echo (invocation).").waitFor();
    await tool.getByLabel("Permission of s:echo").selectOption("Allow always");
    await tool.getByText(`Your choice has no effect, because another rule wins: deny s:echo in ${file}.`).waitFor();
    expect(await page.getByText("is saved").count()).toBe(0);
    await search.fill("nowhere");
    await list.getByText("No offered tool matches.").waitFor();
    await goTo(page, "#/tools/s/env");
    await page.getByText("Now: asks, because no rule matches.").waitFor();
  });

  it("draws only the visible rows of ten thousand tools, and finds one of them", async () => {
    const tools = Array.from({ length: 10_000 }, (_, index) => ({
      name: `tool_${index}`,
      description: `Does the thing number ${index}.`,
      inputSchema: { type: "object" },
    }));
    const page = await openPage(await startPageHost({ many: await serverWith(tools) }), "#/tools");
    await page.getByText(/^10,0\d\d tools$/).waitFor();
    expect(await page.getByRole("listitem").count()).toBeLessThan(60);
    await page.getByLabel("Search tools").fill("tool_7777");
    await page.getByText("1 tool", { exact: true }).waitFor();
    await page.getByRole("button", { name: /tool_7777/ }).click();
    await page.getByRole("heading", { level: 2, name: "tool_7777" }).waitFor();
  });
});

describe("a hostile server on the page", () => {
  const evil = `<svg/onload="document.title='owned'">`;
  const hidden = "safe\u202Etxt.exe\u200B and \u{E0041}tag";

  it(
    "runs no script, loads no image, and shows hidden characters",
    { meta: { covers: ["A4", "A7", "A8"] } },
    async () => {
      const tool = {
        name: "bad",
        title: evil,
        description: `${evil} ${hidden} [click](javascript:alert(1)) \u001b[2J`,
        inputSchema: object({ [evil]: { type: "string", enum: [hidden], default: hidden, description: evil } }),
      };
      const markdown = `![secret](http://127.0.0.1:9/?data=1) [x](javascript:document.title='owned') <img src=x onerror="document.title='owned'">`;
      const results = {
        bad: {
          content: [
            { type: "text", text: markdown },
            { type: "resource_link", uri: "javascript:document.title='owned'", name: evil },
            { type: "image", data: "AAAA", mimeType: `image/png" onerror="document.title='owned'` },
            { type: "resource", resource: { uri: "http://127.0.0.1:9/x", mimeType: "text/html", text: evil } },
          ],
        },
      };
      const page = await openPage(
        await startPageHost({ s: await serverWith([tool], results) }, { allow: ["*"] }),
        "#/tools/s/bad",
      );
      await page.getByText("<U+202E>").first().waitFor();
      await page.getByText("contain characters that are not visible").waitFor();
      for (const mark of ["<U+200B>", "<U+E0041>", "<U+001B>"]) {
        expect(await page.getByText(mark).count(), mark).toBeGreaterThan(0);
      }
      await page.getByRole("button", { name: "Call", exact: true }).click();
      await page.getByRole("button", { name: "As Markdown" }).first().click();
      await page.getByText("not loaded").waitFor();
      expect(await page.locator('a[href^="javascript:" i]').count()).toBe(0);
      expect(await page.locator("#page img, #page svg[onload], #page iframe, #page script").count()).toBe(0);
      expect(await page.title()).toBe("Tools · Plugboard");
    },
  );
});
