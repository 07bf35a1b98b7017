/** Tests that everything a server offers passes through the gateway, for every kind of client and server. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { startFourServers } from "./helpers/four-servers.ts";
import { clientKinds, openClient } from "./helpers/official-clients.ts";
import type { ClientKind, OfficialClient } from "./helpers/official-clients.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

let host: RunningHost;
beforeAll(async () => {
  host = await startFourServers();
});
afterAll(() => host.close());

async function open(kind: ClientKind): Promise<OfficialClient> {
  const answer = () => ({ action: "accept", content: { name: "Ann", password: "p" } }) as const;
  const front = await openClient(kind, host, answer, (prompt) => `sampled ${prompt}`);
  onTestFinished(() => front.close());
  return front;
}

const texts = (result: unknown) => JSON.stringify(result);

describe.each(clientKinds)("a %s client of the gateway", (kind) => {
  it("gets the instructions of all servers, each under the name of its server as a heading", async () => {
    const { instructions } = await open(kind);
    expect(instructions).toContain("# modern_http\n\nGood for trying out");
    expect(instructions).toContain("# legacy_stdio\n\n");
  });

  it(
    "lists the resources of all servers under URIs that can be read",
    { meta: { covers: ["R1.52", "R1.53"] } },
    async () => {
      const front = await open(kind);
      const { resources } = (await front.request("resources/list", {})) as { resources: { uri: string }[] };
      const uris = resources.map(({ uri }) => uri);
      expect(new Set(uris).size).toBe(uris.length);
      // Both modern servers list the same URI, so it names the server.
      for (const server of ["modern_stdio", "modern_http"]) {
        const uri = `plugboard://${server}/note://welcome`;
        expect(uris).toContain(uri);
        const { contents } = (await front.request("resources/read", { uri })) as { contents: unknown[] };
        expect(contents).toMatchObject([{ uri, text: "Welcome to the modern fixture" }]);
      }
    },
  );

  it("is asked a question while it reads a resource", async () => {
    const front = await open(kind);
    const uri = "plugboard://modern_http/locked://diary";
    expect(texts(await front.request("resources/read", { uri }))).toContain("opened with");
  });

  it("reads a resource that a template describes", { meta: { covers: ["R2.142"] } }, async () => {
    const front = await open(kind);
    const listed = await front.request("resources/templates/list", {});
    const { resourceTemplates } = listed as { resourceTemplates: { uriTemplate: string }[] };
    const templates = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
    expect(templates).toContain("plugboard://modern_stdio/note://{name}");
    expect(templates).toContain("plugboard://legacy_stdio/demo://resource/dynamic/text/{resourceId}");
    const uri = "plugboard://legacy_http/demo://resource/dynamic/text/1";
    expect(texts(await front.request("resources/read", { uri }))).toContain("Resource 1");
  });

  it("gets -32602 with the URI for an unknown resource", async () => {
    const front = await open(kind);
    for (const uri of ["unknown://x", "plugboard://modern_http/unknown://x", "plugboard://nobody/x://y"]) {
      await expect(front.request("resources/read", { uri })).rejects.toMatchObject({ code: -32602, data: { uri } });
    }
  });

  it(
    "gets prompts of servers of both eras, and is asked a question of a server meanwhile",
    { meta: { covers: ["R2.143", "R2.144"] } },
    async () => {
      const front = await open(kind);
      const { prompts } = (await front.request("prompts/list", {})) as { prompts: { name: string }[] };
      const names = prompts.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(["modern_http__review", "legacy_stdio__simple-prompt"]));
      const review = { name: "modern_stdio__review", arguments: { language: "Tcl" } };
      expect(texts(await front.request("prompts/get", review))).toContain("Review this Tcl");
      const args = { name: "legacy_http__args-prompt", arguments: { city: "Oslo" } };
      expect(texts(await front.request("prompts/get", args))).toContain("Oslo");
      const question = { name: "modern_http__ask_who" };
      expect(texts(await front.request("prompts/get", question))).toContain("You are talking to Ann.");
      await expect(front.request("prompts/get", { name: "nothing" })).rejects.toMatchObject({ code: -32602 });
    },
  );

  it("completes arguments of prompts and variables of templates", { meta: { covers: ["R2.25"] } }, async () => {
    const front = await open(kind);
    const complete = async (ref: object, argument: object, context?: object) =>
      texts(await front.request("completion/complete", { ref, argument, ...(context && { context }) }));
    const prompt = { type: "ref/prompt", name: "modern_http__review" };
    expect(await complete(prompt, { name: "language", value: "T" })).toContain('["TypeScript","Tcl"]');
    expect(await complete(prompt, { name: "tone", value: "" }, { arguments: { language: "Tcl" } })).toContain(
      '["mellow"]',
    );
    const template = { type: "ref/resource", uri: "plugboard://modern_stdio/note://{name}" };
    expect(await complete(template, { name: "name", value: "w" })).toContain("welcome");
    const legacyPrompt = { type: "ref/prompt", name: "legacy_stdio__completable-prompt" };
    expect(await complete(legacyPrompt, { name: "department", value: "E" })).toContain("Engineering");
  });

  it("lets servers of both eras sample its model", async () => {
    const front = await open(kind);
    for (const server of ["modern_stdio", "modern_http"]) {
      expect(await front.call(`${server}__ask_model`, { prompt: "hi" })).toContain("sampled hi");
    }
    for (const server of ["legacy_stdio", "legacy_http"]) {
      const result = await front.call(`${server}__trigger-sampling-request`, { prompt: "hi", maxTokens: 9 });
      expect(result).toContain("sampled ");
    }
  });

  it("lets a server report that the client lacks sampling, not that the user has rejected it", async () => {
    const front = await openClient(kind, host, () => ({ action: "decline" }));
    onTestFinished(() => front.close());
    const call = front.call("legacy_stdio__trigger-sampling-request", { prompt: "hi", maxTokens: 9 });
    expect(String(await call.catch((error: unknown) => error))).toMatch(/does not support sampling/);
  });

  it("answers modern servers that ask for its roots", async () => {
    const front = await open(kind);
    expect(await front.call("modern_http__ask_roots")).toBe("file:///front");
  });

  it("is asked to visit a URL", async () => {
    const front = await open(kind);
    expect(await front.call("modern_stdio__ask_url", { url: "https://example.com/x" })).toBe("accept");
  });

  it("gets the log entries of its calls, with the name of the server", async () => {
    const front = await open(kind);
    await front.setLogLevel("info");
    await front.call("modern_http__log");
    await vi.waitFor(() => expect(front.notifications).toHaveLength(2));
    expect(front.notifications).toMatchObject([
      { method: "notifications/message", params: { level: "info", logger: "modern_http:fixture" } },
      { method: "notifications/message", params: { level: "error", logger: "modern_http:fixture" } },
    ]);
  });

  it(
    "receives notifications about changed lists and updated resources",
    { meta: { covers: ["R2.147", "R2.148"] } },
    async () => {
      const front = await open(kind);
      const name = `note-${kind.replaceAll(" ", "-")}`;
      await front.call("modern_stdio__write_note", { name, text: "1" });
      await front.request("resources/list", {});
      const { resources } = (await front.request("resources/list", {})) as { resources: { uri: string }[] };
      const uri = resources.find((resource) => resource.uri.endsWith(name))!.uri;
      await front.subscribe(uri);
      await front.call("modern_stdio__write_note", { name, text: "2" });
      await vi.waitFor(
        () => {
          const updated = { method: "notifications/resources/updated", params: { uri } };
          expect(front.notifications).toContainEqual(
            expect.objectContaining({ ...updated, params: expect.objectContaining({ uri }) }),
          );
        },
        { timeout: 10_000 },
      );
      await front.call("modern_stdio__add_prompt", { name: `prompt-${name}` });
      await front.call("modern_stdio__add_tool", { name: `tool-${name}` });
      await front.call("modern_stdio__write_note", { name: `other-${name}`, text: "1" });
      for (const part of ["prompts", "tools", "resources"]) {
        const method = `notifications/${part}/list_changed`;
        await vi.waitFor(() => expect(front.notifications.map((one) => one.method)).toContain(method), {
          timeout: 10_000,
        });
      }
    },
  );

  it("can read the resource links in results", async () => {
    const front = await open(kind);
    const name = "modern_http__all_content";
    const { content } = (await front.request("tools/call", { name })) as { content: { type: string; uri: string }[] };
    const { uri } = content.find(({ type }) => type === "resource_link")!;
    expect(texts(await front.request("resources/read", { uri }))).toContain("Welcome to the modern fixture");
  });

  it("gets an error about invalid arguments as a result that the model can read", async () => {
    const front = await open(kind);
    const result = await front.request("tools/call", { name: "modern_http__echo", arguments: { text: 1 } });
    expect(result).toMatchObject({ isError: true });
    expect(texts(result)).toContain("Invalid arguments");
    expect(texts(result)).not.toContain("plugboard tools");
  });
});

it("the gateway sends log entries that belong to no call to the clients that have set a level", async () => {
  const [listening, silent] = [await open("legacy over HTTP"), await open("legacy over HTTP")];
  await listening.setLogLevel("debug");
  const toggle = () => host.daemon.workspace.tools.call("legacy_stdio:toggle-simulated-logging", {});
  await toggle();
  const loggers = () => listening.notifications.map(({ params }) => params?.["logger"]);
  await vi.waitFor(() => expect(loggers()).toContain("legacy_stdio"), { timeout: 15_000 });
  await toggle();
  expect(silent.notifications.map(({ method }) => method)).not.toContain("notifications/message");
});
