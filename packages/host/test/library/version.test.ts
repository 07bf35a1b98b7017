import { readFileSync } from "node:fs";
import { VERSION } from "@plugboard/host";
import { expect, it } from "vitest";

it("says the version of its package", () => {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  expect(VERSION).toBe(manifest.version);
});
