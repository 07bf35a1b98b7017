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

describe("serverEnvironment", () => {
  it("contains the host's variables that any program needs, and no others", () => {
    expect(serverEnvironment(ours, {}, "linux")).toEqual({
      HOME: "/home/ann",
      PATH: "/bin",
      LANG: "de_DE.UTF-8",
      https_proxy: "http://proxy",
      NODE_EXTRA_CA_CERTS: "/ca.pem",
    });
  });

  it("prefers the variables of the definition to those of the host", () => {
    const seen = serverEnvironment(ours, { PATH: "/opt/bin", GITHUB_TOKEN: "its own", EMPTY: "" }, "linux");
    expect(seen).toMatchObject({ PATH: "/opt/bin", GITHUB_TOKEN: "its own", EMPTY: "", HOME: "/home/ann" });
  });

  it("contains the proxy and certificate variables in upper and lower case", () => {
    const network = { ALL_PROXY: "p", all_proxy: "p", NO_PROXY: "n", REQUESTS_CA_BUNDLE: "/c", CURL_CA_BUNDLE: "/c" };
    expect(serverEnvironment({ ...network, PROXY: "x", CA_KEY: "y" }, {}, "linux")).toEqual(network);
  });

  it("contains none of the variables that Node would pass on by itself", () => {
    expect(Object.entries(serverEnvironment({ NODE_V8_COVERAGE: "/c" }, {}, "linux"))).toEqual([
      ["NODE_V8_COVERAGE", undefined],
    ]);
  });

  it("does not contain a variable that only resembles an allowed one", () => {
    expect(serverEnvironment({ path: "/x", Home: "/y", PATHS: "/z" }, {}, "darwin")).toEqual({});
  });

  it("does not change the environment of the host", () => {
    const before = { ...ours };
    serverEnvironment(ours, { PATH: "/opt/bin" }, "linux");
    expect(ours).toEqual(before);
  });
});

describe("serverEnvironment on Windows, where names are case-insensitive,", () => {
  const windows = {
    Path: "C:\\bin",
    SystemRoot: "C:\\Windows",
    windir: "C:\\Windows",
    Https_Proxy: "p",
    SHELL: "x",
    Token: "s",
  };

  it("contains the needed variables in any spelling", () => {
    expect(serverEnvironment(windows, {}, "win32")).toEqual({
      Path: "C:\\bin",
      SystemRoot: "C:\\Windows",
      windir: "C:\\Windows",
      Https_Proxy: "p",
    });
  });

  it.each(["PATH", "path", "Path"])("contains the variable %s as the definition sets it, and only once", (name) => {
    const seen = serverEnvironment(windows, { [name]: "D:\\tools" }, "win32");
    expect(Object.entries(seen).filter(([key]) => key.toUpperCase() === "PATH")).toEqual([[name, "D:\\tools"]]);
  });
});
