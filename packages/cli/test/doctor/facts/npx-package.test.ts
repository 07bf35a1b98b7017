import { npxPackage } from "#doctor/facts/npx-package.js";
import { expect, it } from "vitest";

it.each<[line: string, expected: object | undefined]>([
  ["npx -y @scope/server", { name: "@scope/server" }],
  ["npx server@latest --token x", { name: "server" }],
  ["/usr/bin/npx --yes server@1.2.3", { name: "server", version: "1.2.3" }],
  ["npx.cmd -y server", { name: "server" }],
  ["npx -y -p @scope/tools server", { name: "@scope/tools" }],
  ["npx --package=tools server", { name: "tools" }],
  ["npx --registry https://example.com server", undefined],
  ["npx github:owner/repo", undefined],
  ["npx", undefined],
  ["node server.js", undefined],
])("npxPackage finds the package of %j", (line, expected) => {
  const [command = "", ...args] = line.split(" ");
  expect(npxPackage(command, args)).toEqual(expected);
});
