/** Tests the method table of `Workspace` and everything that is derived from it. */
import {
  buildApi,
  callMethod,
  isWorkspaceMethodPath,
  packArguments,
  unpackArguments,
  WORKSPACE_METHODS,
} from "@plugboard/contracts";
import type { MethodSpec, WorkspaceMethodPath } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const paths = Object.keys(WORKSPACE_METHODS) as WorkspaceMethodPath[];
const usageError = expect.objectContaining({ code: "USAGE" }) as object;

describe("WORKSPACE_METHODS", () => {
  it("does not compile if a method of Workspace is missing", () => {
    const { status: _, ...rest } = WORKSPACE_METHODS;
    // @ts-expect-error: the method `status` is missing.
    const table: typeof WORKSPACE_METHODS = rest;
    expect(Object.keys(table)).toHaveLength(paths.length - 1);
  });

  it("does not compile if it has a method that Workspace lacks", () => {
    const spec: MethodSpec = { right: "see_catalog", params: [] };
    // @ts-expect-error: `Workspace` has no `inbox.clear`.
    const table: typeof WORKSPACE_METHODS = { ...WORKSPACE_METHODS, "inbox.clear": spec };
    expect(Object.keys(table)).toHaveLength(paths.length + 1);
  });

  it("does not compile if a method that takes a signal has no `signal` flag", () => {
    const { signal: _, ...rest } = WORKSPACE_METHODS["servers.connect"];
    // @ts-expect-error: `servers.connect` takes a signal.
    const table: typeof WORKSPACE_METHODS = { ...WORKSPACE_METHODS, "servers.connect": rest };
    expect(table["servers.connect"].signal).toBeUndefined();
  });

  it("does not compile if a parameter check is for another type of argument", () => {
    const { right, params } = WORKSPACE_METHODS["servers.toggle"];
    const [text] = params;
    // @ts-expect-error: the second argument of `servers.toggle` is a boolean.
    const table: typeof WORKSPACE_METHODS = { ...WORKSPACE_METHODS, "servers.toggle": { right, params: [text, text] } };
    expect(table["servers.toggle"].params).toHaveLength(2);
  });

  it("does not compile if a method has no right", () => {
    const { right: _, ...rest } = WORKSPACE_METHODS.status;
    // @ts-expect-error: every method names its right.
    const table: typeof WORKSPACE_METHODS = { ...WORKSPACE_METHODS, status: rest };
    expect(table.status).not.toHaveProperty("right");
  });

  it.each(["constructor", "__proto__", "toString", "servers", "servers.constructor", ""])(
    "has no method at the path %j",
    (path) => expect(isWorkspaceMethodPath(path)).toBe(false),
  );
});

describe("buildApi", () => {
  it("makes one method for each path of the table", async () => {
    const workspace = buildApi(WORKSPACE_METHODS, (path) => async (...args) => ({
      path,
      args,
    }));
    for (const path of paths) expect(await callMethod(workspace, path, [1, 2])).toEqual({ path, args: [1, 2] });
    expect(await workspace.servers.connect("s")).toEqual({ path: "servers.connect", args: ["s"] });
  });
});

describe("packArguments and unpackArguments", () => {
  it("send the JSON arguments and keep the signal and the progress callback local", () => {
    const { signal } = new AbortController();
    const onProgress = () => {};
    const { sent, local } = packArguments("tools.call", ["s:echo", { text: "hi" }, { signal, onProgress }]);
    expect(sent).toEqual(["s:echo", { text: "hi" }, {}]);
    expect(local).toEqual({ signal, onProgress });
    expect(unpackArguments("tools.call", sent, local)).toEqual(["s:echo", { text: "hi" }, { signal, onProgress }]);
  });

  it("send options other than the signal and the progress callback", () => {
    const { sent } = packArguments("servers.connect", ["s", { definition: { command: "x" } }]);
    expect(JSON.parse(JSON.stringify(sent))).toEqual(["s", { definition: { command: "x" } }]);
    expect(unpackArguments("servers.connect", sent)).toMatchObject(["s", { definition: { command: "x" } }]);
  });

  it("drop arguments that the method does not have", () => {
    expect(packArguments("servers.detail", ["s", 0, ["s"]]).sent).toEqual(["s"]);
    expect(unpackArguments("servers.detail", ["s", 0])).toEqual(["s"]);
  });

  it("treat null and a missing value as absent if the argument is optional", () => {
    expect(unpackArguments("resources.list", [])).toMatchObject([{}]);
    expect(unpackArguments("resources.list", [{ server: null }])).toMatchObject([{}]);
    expect(unpackArguments("tools.call", ["s:echo", null])).toMatchObject(["s:echo", {}, {}]);
    expect(unpackArguments("prompts.complete", ["s", {}, {}])).toEqual(["s", {}, {}, undefined]);
  });
});

describe("unpackArguments", () => {
  it.each<[WorkspaceMethodPath, unknown[]]>([
    ["servers.detail", []],
    ["servers.detail", [7]],
    ["servers.connect", ["s", { definition: "evil" }]],
    ["servers.connect", ["s", { command: "evil" }]],
    ["servers.connect", ["s", []]],
    ["servers.toggle", ["s"]],
    ["servers.toggle", ["s", "yes"]],
    ["servers.set", []],
    ["servers.set", [[]]],
    ["servers.login", ["s", { method: "telepathy" }]],
    ["tools.search", [{}]],
    ["tools.search", ["x", { limit: "many" }]],
    ["tools.search", ["x", { limit: 1.5 }]],
    ["tools.definitions", [7]],
    ["tools.call", [7, {}]],
    ["tools.call", [{ server: "s" }, {}]],
    ["tools.call", ["s:echo", {}, { id: "a b" }]],
    ["tools.toggle", ["s:echo", 1]],
    ["resources.list", ["s"]],
    ["resources.list", [{ server: 7 }]],
    ["resources.read", ["s"]],
    ["prompts.get", ["s", "p", { city: 7 }]],
    ["prompts.complete", ["s", "p", {}]],
    ["inbox.answer", [7, {}]],
    ["config.trust", ["s"]],
    ["permissions.revoke", [null]],
    ["logins.setBackend", []],
    ["secrets.set", ["name"]],
    ["activity.recent", ["all"]],
  ])("rejects the call %s with the arguments %j", (path, sent) => {
    expect(() => unpackArguments(path, sent)).toThrow(usageError);
  });

  it("names the method and the argument in the error", () => {
    expect(() => unpackArguments("servers.toggle", ["s", 1])).toThrow('argument 2 of "servers.toggle"');
    expect(() => unpackArguments("tools.search", ["x", { limit: "y" }])).toThrow(
      'option "limit" of argument 2 of "tools.search" must be a whole number',
    );
  });

  it("rejects tool arguments that are not an object with INVALID_ARGUMENTS", () => {
    expect(() => unpackArguments("tools.call", ["s:echo", "hi"])).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENTS" }) as object,
    );
  });
});
