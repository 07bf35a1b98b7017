import type { ConfiguredServer } from "#config/definition/definition.js";
import { HostError } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { configured, httpDefinition, stdioDefinition } from "../../helpers/small-definitions.ts";
import { resolveTarget } from "../../helpers/resolve-server-part.ts";

const env = { HOME: "/home/ann", TOKEN: "s3cret", EMPTY: "", NESTED: "${TOKEN}" };

describe("a text in a definition", () => {
  it.each([
    ["without a reference", "plain $HOME {x} $", "plain $HOME {x} $"],
    ["with a variable", "a ${HOME} b", "a /home/ann b"],
    ["with several", "${HOME}/${TOKEN}${TOKEN}", "/home/ann/s3crets3cret"],
    ["with a default that is not needed", "${HOME:-/tmp}", "/home/ann"],
    ["with a default that is", "${NOWHERE:-/tmp/x y}", "/tmp/x y"],
    ["with a default instead of nothing", "${EMPTY:-full}", "full"],
    ["with a default that is empty", "[${NOWHERE:-}]", "[]"],
    ["with what stands for itself", "$${HOME}", "${HOME}"],
    ["with both side by side", "$${HOME} ${HOME}", "${HOME} /home/ann"],
    ["with a dollar before what stands for itself", "$$${HOME}", "$${HOME}"],
    ["with a variable that holds a reference: it is text now", "${NESTED}", "${TOKEN}"],
    ["with what only looks like a reference", "$${} $${1} $${a-b} $HOME $(x)", "${} ${1} ${a-b} $HOME $(x)"],
  ])("%s", (_, text, expanded) => {
    expect(resolve({ args: [text] })).toMatchObject({ args: [expanded] });
  });

  it.each([
    ["a variable that is not set", "${NOWHERE}", "NOWHERE"],
    ["one of several that is not set", "${HOME}/${NO_WHERE_2}", "NO_WHERE_2"],
    ["a variable that only objects have", "${toString}", "toString"],
    ["another that only objects have", "${constructor}", "constructor"],
    ["a variable that is empty", "${EMPTY}", "EMPTY"],
  ])("can't be used with %s, which is named", (_, text, name) => {
    const error = failure({ args: [text] });
    expect(error).toMatchObject({ code: "SERVER_INVALID", details: { server: "files" } });
    expect(error.message).toContain(`the environment variable ${name},`);
    expect(error.message).not.toContain("s3cret");
  });
});

it.each(["${}", "${1}", "${a-b}", "${HOME"])(
  "a text with %s, which is not a valid reference, can't be used",
  (text) => {
    expect(failure({ args: [text] })).toMatchObject({
      code: "SERVER_INVALID",
      details: { server: "files", reason: expect.stringContaining("which is not a valid reference") },
    });
  },
);

it("expands every part of a command", { meta: { covers: ["R3.81"] } }, () => {
  const definition = {
    command: "${HOME}/run",
    args: ["--t", "${TOKEN}"],
    cwd: "${HOME}/w",
    env: { T: "${TOKEN}", "${HOME}": "" },
  };
  expect(resolve(definition)).toStrictEqual({
    transport: "stdio",
    command: "/home/ann/run",
    args: ["--t", "s3cret"],
    cwd: "/home/ann/w",
    env: { T: "s3cret", "${HOME}": "" },
  });
});

it.each([
  ["the folder of its file", undefined, "/project"],
  ["a folder below it", "sub/deep", "/project/sub/deep"],
  ["a folder beside it", "../other", "/other"],
  ["any folder", "/srv", "/srv"],
])("runs in %s", { meta: { covers: ["R2.37"] } }, (_, cwd, folder) => {
  expect(resolve(cwd === undefined ? {} : { cwd })).toMatchObject({ cwd: folder });
});

it("expands every part of a URL's definition", { meta: { covers: ["R2.61"] } }, () => {
  const url = "https://${HOST:-example.com}/mcp?k=${TOKEN}";
  expect(resolveTarget(http(url, { Authorization: "Bearer ${TOKEN}" }), env)).toStrictEqual({
    transport: "http",
    url: "https://example.com/mcp?k=s3cret",
    headers: { Authorization: "Bearer s3cret" },
  });
});

it("expands what names a server behind a proxy, and a socket", () => {
  const reach = { ...http("wss://${HOST:-example.com}/x").definition };
  const socket = { ...http(""), definition: { ...reach, transport: "websocket" } } as ConfiguredServer;
  expect(resolveTarget(socket, env)).toStrictEqual({ transport: "websocket", url: "wss://example.com/x", headers: {} });
  const behind = { ...http("https://p/{id}").definition, transport: "claudeai-proxy", id: "${TOKEN}" };
  expect(resolveTarget({ ...http(""), definition: behind } as ConfiguredServer, env)).toStrictEqual({
    transport: "claudeai-proxy",
    id: "s3cret",
    url: "https://p/{id}",
    headers: {},
  });
});

it.each(["http://localhost:3000/mcp", "https://example.com"])("takes %j as it is", (url) => {
  expect(resolveTarget(http(url), env)).toMatchObject({ url });
});

it.each(["example.com/mcp", "ws://example.com", "file:///etc/passwd", "${HOME}", "https://", ""])(
  "takes no %j for a URL",
  (url) => {
    expect(() => resolveTarget(http(url), env)).toThrow(
      expect.objectContaining({
        code: "SERVER_INVALID",
        details: { server: "files", reason: '"url" must be an http(s) URL' },
      }),
    );
  },
);

it("says why a definition is wrong that is wrong", () => {
  const server = { ...configured({ invalid: "the entry must be an object" }) };
  expect(() => resolveTarget(server, env)).toThrow(
    expect.objectContaining({
      code: "SERVER_INVALID",
      details: { server: "files", reason: "the entry must be an object" },
    }),
  );
});

function resolve(given: object) {
  return resolveTarget(stdio(given), env);
}

function failure(given: object): HostError {
  try {
    throw new Error(`expected a failure, got ${JSON.stringify(resolve(given))}`);
  } catch (error) {
    if (error instanceof HostError) return error;
    throw error;
  }
}

function stdio(given: object): ConfiguredServer {
  return configured(stdioDefinition(given));
}

function http(url: string, headers = {}): ConfiguredServer {
  return configured(httpDefinition({ url, headers }));
}
