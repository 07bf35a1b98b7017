import { serverEnvironment } from "#process/server-environment.js";
import { describe, expect, it } from "vitest";

const ours = {
  HOME: "/home/ann",
  PATH: "/bin",
  LANG: "de_DE.UTF-8",
  https_proxy: "http://proxy",
  NODE_EXTRA_CA_CERTS: "/ca.pem",
  AWS_SECRET_ACCESS_KEY: "s3cret",
  GITHUB_TOKEN: "s3cret",
  NODE_OPTIONS: "--inspect",
  LD_PRELOAD: "/evil.so",
  PLUGBOARD_CONFIG_PATH: "/c.json",
};

describe("a server sees of our environment", () => {
  it("what any program needs and nothing else", () => {
    expect(serverEnvironment(ours, {}, "linux")).toEqual({
      HOME: "/home/ann",
      PATH: "/bin",
      LANG: "de_DE.UTF-8",
      https_proxy: "http://proxy",
      NODE_EXTRA_CA_CERTS: "/ca.pem",
    });
  });

  it("what its definition gives it, before what we have", () => {
    const seen = serverEnvironment(ours, { PATH: "/opt/bin", GITHUB_TOKEN: "its own", EMPTY: "" }, "linux");
    expect(seen).toMatchObject({ PATH: "/opt/bin", GITHUB_TOKEN: "its own", EMPTY: "", HOME: "/home/ann" });
  });

  it("the proxies and certificates that its network needs, in either spelling", () => {
    const network = { ALL_PROXY: "p", all_proxy: "p", NO_PROXY: "n", REQUESTS_CA_BUNDLE: "/c", CURL_CA_BUNDLE: "/c" };
    expect(serverEnvironment({ ...network, PROXY: "x", CA_KEY: "y" }, {}, "linux")).toEqual(network);
  });

  it("nothing of what Node would hand on by itself", () => {
    expect(Object.entries(serverEnvironment({ NODE_V8_COVERAGE: "/c" }, {}, "linux"))).toEqual([
      ["NODE_V8_COVERAGE", undefined],
    ]);
  });

  it("no variable that only looks like one it may see", () => {
    expect(serverEnvironment({ path: "/x", Home: "/y", PATHS: "/z" }, {}, "darwin")).toEqual({});
  });

  it("nothing that it leaves behind in ours", () => {
    const before = { ...ours };
    serverEnvironment(ours, { PATH: "/opt/bin" }, "linux");
    expect(ours).toEqual(before);
  });
});

describe("on Windows, where names have no case, a server sees", () => {
  const windows = {
    Path: "C:\\bin",
    SystemRoot: "C:\\Windows",
    windir: "C:\\Windows",
    Https_Proxy: "p",
    SHELL: "x",
    Token: "s",
  };

  it("what it needs, however it is spelt", () => {
    expect(serverEnvironment(windows, {}, "win32")).toEqual({
      Path: "C:\\bin",
      SystemRoot: "C:\\Windows",
      windir: "C:\\Windows",
      Https_Proxy: "p",
    });
  });

  it.each(["PATH", "path", "Path"])("%s as its definition gives it and no second one beside it", (name) => {
    const seen = serverEnvironment(windows, { [name]: "D:\\tools" }, "win32");
    expect(Object.entries(seen).filter(([key]) => key.toUpperCase() === "PATH")).toEqual([[name, "D:\\tools"]]);
  });
});
