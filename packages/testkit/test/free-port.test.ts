import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { freePort } from "@plugboard/testkit/free-port";
import { expect, it } from "vitest";

it("freePort returns a different port each time, outside of the range from which the system assigns ports", async () => {
  const ports = [await freePort(), await freePort(), await freePort()];
  expect(new Set(ports).size).toBe(3);
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  other.close();
  expect(Math.max(...ports)).toBeLessThan(32_768);
  expect(port).toBeGreaterThanOrEqual(32_768);
});

it("freePort skips a port that is in use", async () => {
  const next = (await freePort()) + 1;
  const other = createServer().listen(next, "127.0.0.1");
  await once(other, "listening");
  expect(await freePort()).toBeGreaterThan(next);
  other.close();
});
