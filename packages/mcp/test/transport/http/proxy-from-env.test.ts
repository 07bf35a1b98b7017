import { proxyFromEnv } from "#transport/http/proxy-from-env.js";
import { expect, it } from "vitest";

const HTTP = "http://proxy:1";
const HTTPS = "http://proxy:2";
const BOTH = { HTTP_PROXY: HTTP, HTTPS_PROXY: HTTPS };

it.each<[string, string, { [name: string]: string }, string | undefined]>([
  ["no variable is set", "http://a.test/", {}, undefined],
  ["the URL is http", "http://a.test/", BOTH, HTTP],
  ["the URL is https", "https://a.test/", BOTH, HTTPS],
  ["only the other protocol has a proxy", "https://a.test/", { HTTP_PROXY: HTTP }, undefined],
  ["the variable is in lower case", "http://a.test/", { http_proxy: HTTP }, HTTP],
  ["both spellings are set", "http://a.test/", { http_proxy: HTTP, HTTP_PROXY: HTTPS }, HTTP],
  ["the variable is empty", "http://a.test/", { http_proxy: " " }, undefined],
  ["the proxy has no scheme", "http://a.test/", { http_proxy: "proxy:1" }, HTTP],
  ["the host is localhost", "http://localhost:3000/", BOTH, undefined],
  ["the host is a subdomain of localhost", "http://a.localhost/", BOTH, undefined],
  ["the address is loopback", "http://127.0.0.2/", BOTH, undefined],
  ["the address is IPv6 loopback", "http://[::1]:3000/", BOTH, undefined],
  ["the host only resembles loopback", "http://127.0.0.1.evil.test/", BOTH, HTTP],
  ["the host is exempt", "http://a.test/", { ...BOTH, NO_PROXY: "b.test,a.test" }, undefined],
  ["the host is exempt in another case", "http://a.test/", { ...BOTH, no_proxy: "A.Test" }, undefined],
  ["its domain is exempt", "http://x.a.test/", { ...BOTH, NO_PROXY: "a.test" }, undefined],
  ["its domain is exempt, with a dot", "http://x.a.test/", { ...BOTH, NO_PROXY: ".a.test" }, undefined],
  ["its domain is exempt, with a star", "http://x.a.test/", { ...BOTH, NO_PROXY: "*.a.test" }, undefined],
  ["an exempt host is only a suffix", "http://xa.test/", { ...BOTH, NO_PROXY: "a.test" }, HTTP],
  ["everything is exempt", "http://a.test/", { ...BOTH, NO_PROXY: "*" }, undefined],
  ["its port is exempt", "http://a.test:81/", { ...BOTH, NO_PROXY: "a.test:81" }, undefined],
  ["its default port is exempt", "https://a.test/", { ...BOTH, NO_PROXY: "a.test:443" }, undefined],
  ["another port is exempt", "http://a.test/", { ...BOTH, NO_PROXY: "a.test:81" }, HTTP],
  ["the list is separated by spaces", "http://a.test/", { ...BOTH, NO_PROXY: "b.test a.test" }, undefined],
  ["the list has only commas", "http://a.test/", { ...BOTH, NO_PROXY: ",, ," }, HTTP],
  ["an address is exempt", "http://10.0.0.1/", { ...BOTH, NO_PROXY: "10.0.0.1" }, undefined],
  ["an IPv6 address is exempt", "http://[fd00::1]/", { ...BOTH, NO_PROXY: "fd00::1" }, undefined],
  ["an IPv6 address with a port is exempt", "http://[fd00::1]:81/", { ...BOTH, NO_PROXY: "[fd00::1]:81" }, undefined],
])("proxyFromEnv returns the right proxy if %s", (_, url, env, proxy) => {
  expect(proxyFromEnv(new URL(url), env)).toBe(proxy);
});
