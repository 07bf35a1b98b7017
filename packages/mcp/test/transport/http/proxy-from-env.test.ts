import { proxyFromEnv } from "#transport/http/proxy-from-env.js";
import { expect, it } from "vitest";

const HTTP = "http://proxy:1";
const HTTPS = "http://proxy:2";
const BOTH = { HTTP_PROXY: HTTP, HTTPS_PROXY: HTTPS };

it.each<[string, string, { [name: string]: string }, string | undefined]>([
  ["no variable is set", "http://a.test/", {}, undefined],
  ["the URL is plain", "http://a.test/", BOTH, HTTP],
  ["the URL is secure", "https://a.test/", BOTH, HTTPS],
  ["only the other kind has a proxy", "https://a.test/", { HTTP_PROXY: HTTP }, undefined],
  ["the variable is in lower case", "http://a.test/", { http_proxy: HTTP }, HTTP],
  ["both are set", "http://a.test/", { http_proxy: HTTP, HTTP_PROXY: HTTPS }, HTTP],
  ["the variable is empty", "http://a.test/", { http_proxy: " " }, undefined],
  ["the proxy has no scheme", "http://a.test/", { http_proxy: "proxy:1" }, HTTP],
  ["the host is this machine", "http://localhost:3000/", BOTH, undefined],
  ["the host is a name below localhost", "http://a.localhost/", BOTH, undefined],
  ["the address is of this machine", "http://127.0.0.2/", BOTH, undefined],
  ["the address is of this machine, in IPv6", "http://[::1]:3000/", BOTH, undefined],
  ["the host only looks like this machine", "http://127.0.0.1.evil.test/", BOTH, HTTP],
  ["the host is exempt", "http://a.test/", { ...BOTH, NO_PROXY: "b.test,a.test" }, undefined],
  ["the host is exempt, in lower case", "http://a.test/", { ...BOTH, no_proxy: "A.Test" }, undefined],
  ["its domain is exempt", "http://x.a.test/", { ...BOTH, NO_PROXY: "a.test" }, undefined],
  ["its domain is exempt, with a dot", "http://x.a.test/", { ...BOTH, NO_PROXY: ".a.test" }, undefined],
  ["its domain is exempt, with a star", "http://x.a.test/", { ...BOTH, NO_PROXY: "*.a.test" }, undefined],
  ["another host ends the same", "http://xa.test/", { ...BOTH, NO_PROXY: "a.test" }, HTTP],
  ["everything is exempt", "http://a.test/", { ...BOTH, NO_PROXY: "*" }, undefined],
  ["its port is exempt", "http://a.test:81/", { ...BOTH, NO_PROXY: "a.test:81" }, undefined],
  ["its usual port is exempt", "https://a.test/", { ...BOTH, NO_PROXY: "a.test:443" }, undefined],
  ["another port is exempt", "http://a.test/", { ...BOTH, NO_PROXY: "a.test:81" }, HTTP],
  ["the list is separated by spaces", "http://a.test/", { ...BOTH, NO_PROXY: "b.test a.test" }, undefined],
  ["the list is empty but for commas", "http://a.test/", { ...BOTH, NO_PROXY: ",, ," }, HTTP],
  ["an address is exempt", "http://10.0.0.1/", { ...BOTH, NO_PROXY: "10.0.0.1" }, undefined],
  ["an address of IPv6 is exempt", "http://[fd00::1]/", { ...BOTH, NO_PROXY: "fd00::1" }, undefined],
  [
    "an address of IPv6 is exempt, with a port",
    "http://[fd00::1]:81/",
    { ...BOTH, NO_PROXY: "[fd00::1]:81" },
    undefined,
  ],
])("tells the proxy where %s", (_, url, env, proxy) => {
  expect(proxyFromEnv(new URL(url), env)).toBe(proxy);
});
