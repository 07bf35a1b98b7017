import type { ConfiguredServer } from "#definition/definition.js";
import { HostError } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { configured, httpDefinition, stdioDefinition } from "../helpers/small-definitions.ts";
import { resolveTarget } from "../helpers/resolve-server-part.ts";

const env = { HOME: "/home/ann", TOKEN: "s3cret", EMPTY: "", NESTED: "${TOKEN}" };

describe("expandEnvReferences", () => {
  it.each([
    ["without a reference", "plain $HOME {x} $", "plain $HOME {x} $"],
    ["with a variable", "a ${HOME} b", "a /home/ann b"],
    ["with several variables", "${HOME}/${TOKEN}${TOKEN}", "/home/ann/s3crets3cret"],
    ["with an unused default", "${HOME:-/tmp}", "/home/ann"],
    ["with a default for a missing variable", "${NOWHERE:-/tmp/x y}", "/tmp/x y"],
    ["with a default for an empty variable", "${EMPTY:-full}", "full"],
    ["with an empty default", "[${NOWHERE:-}]", "[]"],
    ["with an escaped reference", "$${HOME}", "${HOME}"],
    ["with a reference next to an escaped one", "$${HOME} ${HOME}", "${HOME} /home/ann"],
    ["with a dollar sign before an escaped reference", "$$${HOME}", "$${HOME}"],
    ["with a variable that contains a reference, which is not expanded", "${NESTED}", "${TOKEN}"],
    [
      "with escaped text that only looks like a reference",
      "$${} $${1} $${a-b} $HOME $(x)",
      "${} ${1} ${a-b} $HOME $(x)",
    ],
  ])("expands a string %s", (_, text, expanded) => {
    expect(resolve({ args: [text] })).toMatchObject({ args: [expanded] });
  });

  it.each([
    ["a variable that is not set", "${NOWHERE}", "NOWHERE"],
    ["a variable that is not set, after one that is", "${HOME}/${NO_WHERE_2}", "NO_WHERE_2"],
    ["a variable called toString, like a method of objects", "${toString}", "toString"],
    ["a variable called constructor, like a property of objects", "${constructor}", "constructor"],
    ["an empty variable", "${EMPTY}", "EMPTY"],
  ])("throws SERVER_INVALID for %s, and names the variable", (_, text, name) => {
    const error = failure({ args: [text] });
    expect(error).toMatchObject({ code: "SERVER_INVALID", details: { server: "files" } });
    expect(error.message).toContain(`the environment variable ${name},`);
    expect(error.message).not.toContain("s3cret");
  });
});

it.each(["${}", "${1}", "${a-b}", "${HOME"])(
  "expandEnvReferences throws SERVER_INVALID for the malformed reference %s",
  (text) => {
    expect(failure({ args: [text] })).toMatchObject({
      code: "SERVER_INVALID",
      details: { server: "files", reason: expect.stringContaining("which is not a valid reference") },
    });
  },
);

it("resolveServer expands ${…} in every value of a stdio definition", { meta: { covers: ["R3.81"] } }, () => {
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
  ["the folder of its config file", undefined, "/project"],
  ["a subfolder", "sub/deep", "/project/sub/deep"],
  ["a sibling folder", "../other", "/other"],
  ["an absolute folder", "/srv", "/srv"],
])("resolveServer sets the working folder of a server to %s", { meta: { covers: ["R2.37"] } }, (_, cwd, folder) => {
  expect(resolve(cwd === undefined ? {} : { cwd })).toMatchObject({ cwd: folder });
});

it("resolveServer expands ${…} in every value of a URL definition", { meta: { covers: ["R2.61"] } }, () => {
  const url = "https://${HOST:-example.com}/mcp?k=${TOKEN}";
  expect(resolveTarget(http(url, { Authorization: "Bearer ${TOKEN}" }), env)).toStrictEqual({
    transport: "http",
    url: "https://example.com/mcp?k=s3cret",
    headers: { Authorization: "Bearer s3cret" },
  });
});

it("resolveServer expands ${…} in the id of a claudeai-proxy server and in the URL of a websocket server", () => {
  const websocketDefinition = { ...http("wss://${HOST:-example.com}/x").definition };
  const socket = { ...http(""), definition: { ...websocketDefinition, transport: "websocket" } } as ConfiguredServer;
  expect(resolveTarget(socket, env)).toStrictEqual({ transport: "websocket", url: "wss://example.com/x", headers: {} });
  const proxyDefinition = { ...http("https://p/{id}").definition, transport: "claudeai-proxy", id: "${TOKEN}" };
  expect(resolveTarget({ ...http(""), definition: proxyDefinition } as ConfiguredServer, env)).toStrictEqual({
    transport: "claudeai-proxy",
    id: "s3cret",
    url: "https://p/{id}",
    headers: {},
  });
});

it.each(["http://localhost:3000/mcp", "https://example.com"])("resolveServer keeps the URL %j unchanged", (url) => {
  expect(resolveTarget(http(url), env)).toMatchObject({ url });
});

it.each(["example.com/mcp", "ws://example.com", "file:///etc/passwd", "${HOME}", "https://", ""])(
  "resolveServer rejects %j as a URL",
  (url) => {
    expect(() => resolveTarget(http(url), env)).toThrow(
      expect.objectContaining({
        code: "SERVER_INVALID",
        details: { server: "files", reason: '"url" must be an http(s) URL' },
      }),
    );
  },
);

it("resolveServer throws SERVER_INVALID with the reason of an invalid definition", () => {
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
